export interface ChatTarget {
  /** The only host allowed. */
  readonly webhookHost: string;
  /** A local sink that receives deliveries instead; null in production. */
  readonly webhookOrigin: string | null;
}

const MAX_LENGTH = 500;

/** Workspace, hook and secret, limited to characters that all URL parsers read alike. */
const PATH = /^\/services\/T[A-Za-z0-9]+\/B[A-Za-z0-9]+\/[\w-]+$/;

/**
 * The path of an incoming webhook, or undefined for any other text. The text is compared as it stands: a parser would
 * tidy up backslashes, ports, dots and white space, and another one differently.
 */
export function webhookPath(address: string, { webhookHost }: ChatTarget): string | undefined {
  const start = `https://${webhookHost}/`;
  if (address.length > MAX_LENGTH || !address.startsWith(start)) return undefined;
  const path = address.slice(start.length - 1);
  return PATH.test(path) ? path : undefined;
}
