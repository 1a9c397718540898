import { parseArgs } from 'node:util';
import { env } from '#lib/env.ts';
import { log } from '#lib/log.ts';
import { workOnActions } from '#lib/services/actions/work.ts';
import { createServices, requireDatabase, requirePublicToken } from '#lib/services/context.ts';
import { closeThreads } from '#lib/services/isolation/isolation.ts';

const ENDINGS = {
  done: 'Nothing is left to score.',
  limit: 'The code host limits our requests: the rest waits for the next run.',
  time: 'The time is up: the rest waits for the next run.',
  stopped: 'Stopped: the rest waits for the next run.',
} as const;

const { values } = parseArgs({ options: { minutes: { type: 'string' }, waiting: { type: 'boolean' } } });
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
if (minutes !== undefined && !(minutes > 0 && minutes <= 24 * 60)) fail('--minutes takes a number from 1 to 1440.');

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());

try {
  const variables = env();
  requireDatabase(variables);
  requirePublicToken(variables);
  const summary = await workOnActions(createServices(variables, log), {
    ...(minutes === undefined ? {} : { timeLimitMs: minutes * 60_000 }),
    waitingOnly: values.waiting === true,
    signal: stop.signal,
    onProgress: ({ action, outcome, score }) =>
      process.stdout.write(`${action}: ${outcome === 'scored' ? score : outcome}\n`),
  });
  const { scored, missing, failed, ended } = summary;
  process.stdout.write(`${scored} scored, ${missing} missing, ${failed} to be tried again. ${ENDINGS[ended]}\n`);
  await closeThreads();
} catch (error) {
  fail(error instanceof Error ? error.message : 'The worker failed.');
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
