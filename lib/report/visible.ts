/**
 * Spells out control, invisible, reordering, private-use and unassigned characters, so that a repository's text can
 * neither steer a terminal nor show something else than it says. Keeps line feeds; tabs become two spaces.
 */
export function visible(text: string): string {
  return text.replace(/\t/g, '  ').replace(HIDDEN, nameOf);
}

/** Does the same with line feeds, for a name or message that stands on one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', nameOf('\n'));
}

/** Returns the same in pieces, for an output that draws hidden characters differently. */
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

/** Returns the name of a character, such as `<U+202E>`. */
export function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

/** Categories C, Zl and Zp without the line feed, and whatever renderers ignore; not the selector of a coloured pictograph. */
export const HIDDEN =
  /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}](?<!\p{Extended_Pictographic}\uFE0F)/gu;
