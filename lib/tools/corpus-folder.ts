/** `owner/name` of a folder of the corpus, `owner__name`; undefined for another. */
export function nameOfFolder(path: string): string | undefined {
  const [, owner, name] = /(?:^|\/)([^/]+?)__([^/]+)$/.exec(path) ?? [];
  return owner && `${owner}/${name}`;
}
