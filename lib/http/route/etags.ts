const MAX_TAGS = 10;

export class ETags {
  readonly any: boolean;
  readonly tags: readonly string[];

  constructor(headers: Headers) {
    const given = headers.get('if-none-match') ?? '';
    this.any = given.trim() === '*';
    this.tags = [...given.matchAll(/"[\x21\x23-\x7E]{0,200}"/g)].slice(0, MAX_TAGS).map(([tag]) => tag);
  }

  /** Weak tags match, as RFC 9110 says of `If-None-Match`. */
  has(tag: string): boolean {
    return this.any || this.tags.includes(tag);
  }
}
