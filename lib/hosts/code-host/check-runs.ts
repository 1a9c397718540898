import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { Id, understand } from './answers.ts';
import type { Client } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import type { CheckAnnotation, CheckRun } from './port.ts';
import type { RepositoryName } from './repository-name.ts';

/** https://docs.github.com/en/rest/checks/runs#create-a-check-run */
const ANNOTATIONS_PER_REQUEST = 50;
const MAX_ATTEMPTS = 3;
const PAUSE_MS = 500;
const MAX_WAIT_SECONDS = 60;

const Run = z.object({ id: Id });
const Runs = z.object({
  check_runs: z.array(
    z.object({
      id: Id,
      external_id: z.optional(z.nullable(z.string())),
      output: z.optional(z.object({ annotations_count: z.optional(z.number()) })),
    }),
  ),
});

interface Sent {
  readonly id: string;
  readonly annotations: number;
}

export async function setCheckRun(client: Client, at: RepositoryName, run: CheckRun): Promise<void> {
  let sent: Sent | undefined;
  for (let attempt = 1; sent === undefined || sent.annotations < run.annotations.length; ) {
    try {
      sent = await sendNext(client, at, run, sent);
    } catch (error) {
      if (!(error instanceof CodeHostFailure) || attempt === MAX_ATTEMPTS || !canRepeat(error)) throw error;
      attempt += 1;
      await delay(error.kind === 'limit' ? (error.retryAfterSeconds ?? 1) * 1_000 : PAUSE_MS);
      if (error.isPassing) sent = await findRun(client, at, run);
    }
  }
}

function canRepeat({ isPassing, kind, retryAfterSeconds = 1 }: CodeHostFailure): boolean {
  return isPassing || (kind === 'limit' && retryAfterSeconds <= MAX_WAIT_SECONDS);
}

async function sendNext(
  client: Client,
  { owner, name: repo }: RepositoryName,
  run: CheckRun,
  sent: Sent | undefined,
): Promise<Sent> {
  const from = sent?.annotations ?? 0;
  const annotations: readonly CheckAnnotation[] = run.annotations.slice(from, from + ANNOTATIONS_PER_REQUEST);
  const output = { title: run.title, summary: run.summary, annotations };
  const path = '/repos/{owner}/{repo}/check-runs';
  if (sent !== undefined) {
    await client.change(`${path}/{check_run_id}`, { owner, repo, check_run_id: sent.id, output });
    return { id: sent.id, annotations: from + annotations.length };
  }
  const created = await client.send(path, {
    owner,
    repo,
    name: run.name,
    head_sha: run.head,
    external_id: run.externalId,
    details_url: run.detailsUrl,
    status: 'completed',
    conclusion: run.conclusion,
    started_at: run.startedAt,
    output,
  });
  return { id: String(understand(Run, created).id), annotations: annotations.length };
}

async function findRun(
  client: Client,
  { owner, name: repo }: RepositoryName,
  run: CheckRun,
): Promise<Sent | undefined> {
  const path = '/repos/{owner}/{repo}/commits/{ref}/check-runs';
  const answer = await client.read(path, { owner, repo, ref: run.head, check_name: run.name, filter: 'all' });
  const found = understand(Runs, answer).check_runs.find(({ external_id: id }) => id === run.externalId);
  return found === undefined
    ? undefined
    : { id: String(found.id), annotations: found.output?.annotations_count ?? run.annotations.length };
}
