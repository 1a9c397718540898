export function nameOfFolder(path: string): string | undefined {
  const [, owner, name] = /(?:^|\/)([^/]+?)__([^/]+)$/.exec(path) ?? [];
  return owner && `${owner}/${name}`;
}
