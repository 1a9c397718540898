/**
 * Makes control, bidirectional and zero-width characters visible, so that repository text can neither control the
 * terminal nor mislead. Tabs become two spaces.
 */
export function visible(text: string): string {
  return text.replace(/\t/g, '  ').replace(HIDDEN, nameOf);
}

/** The same in pieces, marking what was hidden. */
export function splitVisible(text: string): { readonly text: string; readonly hidden: boolean }[] {
  const pieces: { text: string; hidden: boolean }[] = [];
  const add = (piece: string, hidden: boolean) => piece !== '' && pieces.push({ text: piece, hidden });
  let end = 0;
  const shown = text.replace(/\t/g, '  ');
  for (const { 0: character, index } of shown.matchAll(HIDDEN)) {
    add(shown.slice(end, index), false);
    add(nameOf(character), true);
    end = index + character.length;
  }
  add(shown.slice(end), false);
  return pieces;
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

const HIDDEN =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
