/** Returns `owner/name` for a corpus folder `owner__name`; undefined for others. */
export function nameOfFolder(path: string): string | undefined {
  const [, owner, name] = /(?:^|\/)([^/]+?)__([^/]+)$/.exec(path) ?? [];
  return owner && `${owner}/${name}`;
}
