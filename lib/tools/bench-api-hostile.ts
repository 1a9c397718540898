import { setTimeout as delay } from 'node:timers/promises';

const HOSTILE = 20;
const EACH = 5;
const PERIOD_MS = 100;
const QUIET_MS = 10_000;

interface Served {
  readonly web: string;
  readonly users: readonly { readonly token: string }[];
}

/**
 * Measures how long other requests take while 20 visitors harden the largest allowed workflow. Sends requests at fixed
 * times, without waiting for earlier replies.
 */
export async function measureHostile({ web, users }: Served): Promise<void> {
  const quiet = await probe({ web, users }, delay(QUIET_MS));
  const workflow = largeWorkflow();
  const statuses = new Map<number, number>();
  const started = performance.now();
  const hostile = Array.from({ length: HOSTILE }, async (_, index) => {
    const response = await fetch(`${web}/api/public/harden`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${Math.floor(index / EACH) + 1}` },
      body: JSON.stringify({ workflow, categories: ['CICD-SEC-4', 'CICD-SEC-5'], include_review: true }),
    });
    await response.arrayBuffer();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  });
  const busy = await probe({ web, users }, Promise.all(hostile));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const answers = [...statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
  process.stdout.write(
    `\n${HOSTILE} x POST /api/public/harden, ${(workflow.length / 1000).toFixed(0)} kB: ${answers} in ${seconds} s\n` +
      'meanwhile                      requests failed   p50 ms   p95 ms   max ms\n',
  );
  for (const [name, times] of [...quiet.map(named('quiet')), ...busy.map(named('busy'))]) {
    const sorted = times.filter(Number.isFinite).sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(0);
    const columns = [String(times.length), String(times.length - sorted.length), at(0.5), at(0.95), at(1)];
    process.stdout.write(`${name.padEnd(30)}${columns.map((column) => column.padStart(9)).join('')}\n`);
  }
}

type Probed = readonly [path: string, times: readonly number[]];

const named =
  (state: string) =>
  ([path, times]: Probed): Probed => [`${state}: GET ${path}`, times];

async function probe({ web, users }: Served, end: Promise<unknown>): Promise<readonly Probed[]> {
  const ended = new AbortController();
  void end.finally(() => ended.abort());
  const paths = ['/api/health', '/api/orgs'];
  const sent = new Map(paths.map((path) => [path, [] as Promise<number>[]]));
  for (let index = 0; !ended.signal.aborted; index += 1) {
    const authorization = `Bearer ${users[index % users.length]?.token}`;
    for (const [path, list] of sent) list.push(timeOf(`${web}${path}`, { headers: { authorization } }));
    await delay(PERIOD_MS);
  }
  return Promise.all([...sent].map(async ([path, list]) => [path, await Promise.all(list)] as const));
}

async function timeOf(url: string, options: RequestInit): Promise<number> {
  const start = performance.now();
  try {
    const response = await fetch(url, options);
    await response.arrayBuffer();
    return response.ok ? performance.now() - start : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function largeWorkflow(): string {
  const job = (index: number) =>
    `  job${index}:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: echo "\${{ github.event.pull_request.title }}"\n`;
  return `on: [pull_request_target]\njobs:\n${Array.from({ length: 900 }, (_, index) => job(index)).join('')}`;
}
