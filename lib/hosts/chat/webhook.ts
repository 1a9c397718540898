export interface ChatTarget {
  readonly webhookHost: string;
  readonly webhookOrigin: string | null;
}

const MAX_LENGTH = 500;

/** Workspace, hook and secret, limited to characters that all URL parsers read alike. */
const PATH = /^\/services\/T[A-Za-z0-9]+\/B[A-Za-z0-9]+\/[\w-]+$/;

/**
 * Returns the path of an incoming webhook; undefined for other text. Compares text, since URL parsers normalize
 * backslashes, ports, dots and white space differently.
 */
export function webhookPath(address: string, { webhookHost }: ChatTarget): string | undefined {
  const start = `https://${webhookHost}/`;
  if (address.length > MAX_LENGTH || !address.startsWith(start)) return undefined;
  const path = address.slice(start.length - 1);
  return PATH.test(path) ? path : undefined;
}
