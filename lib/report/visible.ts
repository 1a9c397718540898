/**
 * Control, bidirectional and zero-width characters made visible, so that a repository's text can neither steer a
 * terminal nor show something else than it says. Tabs become two spaces.
 */
export function visible(text: string): string {
  return text.replace(/\t/g, '  ').replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}

const HIDDEN =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
