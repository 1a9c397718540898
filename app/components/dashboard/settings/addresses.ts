const BETWEEN = /[\s,;]+/;

export function addressesIn(text: string): readonly string[] {
  const found = new Map<string, string>();
  for (const line of text.split(/[\n,;]/)) {
    const [, inBrackets] = /<([^<>]*)>/.exec(line) ?? [];
    for (const address of (inBrackets ?? line).split(BETWEEN)) {
      if (address !== '' && !found.has(address.toLowerCase())) found.set(address.toLowerCase(), address);
    }
  }
  return [...found.values()];
}
