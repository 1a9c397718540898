/** Calls the scheduled jobs and scores actions, at the start and once a day, in a container of its own. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const DAY_MS = 86_400_000;
const RETRY_MS = 60_000;
const MOST_TRIES = 30;
const SCORING_MINUTES = '50';

const { WEB_URL: webUrl, CRON_SECRET: secret } = process.env;

for (;;) {
  const started = Date.now();
  for (const name of ['expire-triage', 'refresh-fix-prs']) await callJob(name);
  await scoreActions();
  await delay(Math.max(0, started + DAY_MS - Date.now()));
}

async function callJob(name) {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    const outcome = await fetch(`${webUrl}/api/cron/${name}`, {
      headers: { authorization: `Bearer ${secret}` },
      signal: AbortSignal.timeout(120_000),
    }).then(
      ({ ok, status }) => (ok ? undefined : `status ${status}`),
      (error) => String(error.cause?.code ?? error.name),
    );
    print(outcome === undefined ? `${name}: done` : `${name}: ${outcome}, attempt ${attempt} of ${MOST_TRIES}`);
    if (outcome === undefined) return;
    await delay(RETRY_MS);
  }
}

function scoreActions() {
  const child = spawn(process.execPath, ['dist/actions-worker.mjs', '--minutes', SCORING_MINUTES], {
    stdio: 'inherit',
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      print(`scores of actions: exit ${code}`);
      resolve();
    });
  });
}

function print(line) {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}
