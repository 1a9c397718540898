import { createHash } from 'node:crypto';
import type { BranchHead, FixBranch, FoundPull } from '#lib/hosts/code-host/port.ts';
import { digestIn } from './texts.ts';

export interface Wanted {
  readonly appLogin: string;
  readonly defaultBranch: string;
  readonly text: string;
  readonly digest: string;
  readonly reopenDeclined: boolean;
}

export type Step =
  | { readonly kind: 'reuse'; readonly pull: FoundPull }
  | { readonly kind: 'replace'; readonly pull: FoundPull; readonly from: string; readonly prepared: string | undefined }
  | { readonly kind: 'create'; readonly from: string | undefined }
  | { readonly kind: 'open' }
  | { readonly kind: 'skip'; readonly reason: string };

/**
 * Returns the next step towards one open pull request with the wanted text. A branch is ours to change only if it has
 * nothing but one commit of the app's.
 */
export function decide({ head, blobId, pulls, preparedHead, branch }: FixBranch, wanted: Wanted): Step {
  const { appLogin, defaultBranch, text, digest, reopenDeclined } = wanted;
  const open = pulls.filter(({ state, base }) => state === 'open' && base === defaultBranch);
  const pull = open.find(({ author }) => author === appLogin);
  const isEqual = blobId === blobIdOf(text);
  if (pull === undefined && open.length > 0) {
    return skip(`Somebody else opened a pull request from the branch ${branch}.`);
  }
  if (pull !== undefined && isEqual) return { kind: 'reuse', pull };
  const declined = pulls.find(
    (each) => each.state === 'closed' && each.author === appLogin && digestIn(each.message) === digest,
  );
  if (pull === undefined && declined !== undefined && !reopenDeclined) {
    return skip(`Pull request #${declined.number} with the same fix was closed without merging.`);
  }
  if (head === undefined) return { kind: 'create', from: undefined };
  const changed = 'Somebody pushed to the branch';
  if (!mayChange(head, appLogin)) return skip(`${changed} ${branch}, so it was left alone.`);
  if (pull === undefined)
    return isEqual && head.commitsAhead === 1 ? { kind: 'open' } : { kind: 'create', from: head.commit };
  if (preparedHead !== undefined && !mayChange(preparedHead, appLogin)) {
    return skip(`${changed} on which the changed fix would be prepared, so it was left alone.`);
  }
  return { kind: 'replace', pull, from: head.commit, prepared: preparedHead?.commit };
}

function skip(reason: string): Step {
  return { kind: 'skip', reason };
}

function mayChange({ author, message, commitsAhead }: BranchHead, appLogin: string): boolean {
  if (commitsAhead === 0) return true;
  return commitsAhead === 1 && author === `${appLogin}[bot]` && digestIn(message) !== undefined;
}

function blobIdOf(text: string): string {
  const bytes = Buffer.from(text);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
