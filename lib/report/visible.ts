/**
 * Spells out control, invisible, reordering, private-use and unassigned characters, so that repository text can neither
 * control the terminal nor mislead. Keeps line feeds; tabs become two spaces.
 */
export function visible(text: string): string {
  return text.replace(/\t/g, '  ').replace(HIDDEN, nameOf);
}

/** Like {@link visible}, also for line feeds. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', nameOf('\n'));
}

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

export function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Categories C, Zl and Zp without the line feed, and ignorable characters except emoji presentation selectors. */
export const HIDDEN =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<!\p{Extended_Pictographic}\uFE0F)/gu;
