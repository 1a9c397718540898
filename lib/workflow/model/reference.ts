export type ActionReference =
  | {
      readonly kind: 'repository';
      readonly owner: string;
      readonly repo: string;
      /** `owner/repo` in lower case; `name` is `owner/repo/path`, or the slug for the root. */
      readonly slug: string;
      readonly name: string;
      readonly path: string;
      readonly ref: string;
      readonly refStart: number;
    }
  /** `./path` is relative to the workspace, `$/path` to the same repository at the running commit. */
  | { readonly kind: 'local'; readonly path: string; readonly form: './' | '$/' }
  | { readonly kind: 'docker'; readonly image: ImageReference };

export interface ImageReference {
  readonly text: string;
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

export function parseReference(text: string): ActionReference | undefined {
  if (text.includes('${{')) return undefined;
  if (text.startsWith('./') || text === '.') return { kind: 'local', path: normalizePath(text), form: './' };
  if (text.startsWith('$/')) return { kind: 'local', path: normalizePath(text.slice(2)), form: '$/' };
  if (text.startsWith('docker://')) return { kind: 'docker', image: parseImage(text.slice('docker://'.length)) };
  const at = text.indexOf('@');
  const name = at === -1 ? text : text.slice(0, at);
  const segments = name.split('/').filter((segment) => segment !== '');
  const [owner, repo, ...path] = segments;
  if (owner === undefined || repo === undefined) return undefined;
  return {
    kind: 'repository',
    owner,
    repo,
    slug: `${owner}/${repo}`.toLowerCase(),
    name: segments.join('/').toLowerCase(),
    path: path.join('/'),
    ref: at === -1 ? '' : text.slice(at + 1),
    refStart: at === -1 ? text.length : at + 1,
  };
}

function normalizePath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') kept.pop();
    else kept.push(segment);
  }
  return kept.join('/');
}

export function parseImage(text: string): ImageReference {
  const [beforeDigest, digest] = splitOnce(text, '@');
  const lastSlash = beforeDigest.lastIndexOf('/');
  // A colon before the last slash belongs to a port.
  const colon = beforeDigest.indexOf(':', lastSlash + 1);
  return {
    text,
    name: colon === -1 ? beforeDigest : beforeDigest.slice(0, colon),
    tag: colon === -1 ? undefined : beforeDigest.slice(colon + 1),
    digest,
  };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const FULL_SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

export function isFullSha(ref: string): boolean {
  return FULL_SHA.test(ref);
}
