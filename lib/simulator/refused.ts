export interface RefusalDetails {
  readonly type?: string;
  readonly errors?: readonly unknown[];
  readonly permission?: string;
  readonly graphqlMessage?: string;
}

/** A request that GitHub refuses; REST answers with the status, GraphQL with 200 and the type. */
export class Refused extends Error {
  readonly status: number;
  readonly details: RefusalDetails;

  constructor(status: number, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }

  get type(): string {
    return (
      this.details.type ?? (this.status === 404 ? 'NOT_FOUND' : this.status === 403 ? 'FORBIDDEN' : 'UNPROCESSABLE')
    );
  }
}

export function sentenceOf({ message, details: { errors = [], graphqlMessage } }: Refused): string {
  const messages = errors.map((error) => (error as { readonly message?: string }).message).filter(Boolean);
  return graphqlMessage ?? (messages.length > 0 ? messages.join(', ') : message);
}

export function invalid(resource: string, message: string, field?: string): Refused {
  const error = { resource, code: 'custom', ...(field === undefined ? {} : { field }), message };
  return new Refused(422, 'Validation Failed', { errors: [error] });
}
