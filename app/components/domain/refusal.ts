/** Begins the reasons of `lib/hardener` for fixes that are made only when they are asked for. */
const FOR_REVIEW = /^A fix is available but can change behaviour, so it is applied only on request\. /;

interface Refusal {
  readonly reason: string;
}

export function isForReview({ reason }: Refusal): boolean {
  return FOR_REVIEW.test(reason);
}

export function adviceOf({ reason }: Refusal): string {
  return reason.replace(FOR_REVIEW, '');
}
