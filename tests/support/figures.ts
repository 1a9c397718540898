import { readFileSync } from 'node:fs';
import { PROBLEM_CODES } from '#lib/errors.ts';
import type { ConnectedService } from './connected-service.ts';

const MS_PER_TICK = 10;

export interface Observed {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
}

export class Figures {
  readonly times: number[] = [];
  readonly statuses = new Map<number | 'cut off', number>();
  readonly unexplained: Observed[] = [];

  async observe(ask: () => Promise<Response>): Promise<Observed | 'cut off'> {
    const started = performance.now();
    const answer = await ask().then(
      async (response): Promise<Observed> => {
        const text = await response.text();
        const isJson = /json/.test(response.headers.get('content-type') ?? '');
        return { status: response.status, json: isJson ? JSON.parse(text) : {} };
      },
      () => 'cut off' as const,
    );
    this.times.push(performance.now() - started);
    const key = answer === 'cut off' ? answer : answer.status;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
    if (answer !== 'cut off' && answer.status >= 500) {
      const known = (PROBLEM_CODES as readonly unknown[]).includes(answer.json['code']);
      if (!known) this.unexplained.push(answer);
    }
    return answer;
  }

  print(
    scenario: string,
    load: string,
    { lost, duplicated, service }: { lost: number; duplicated: number; service: ConnectedService },
  ): void {
    const pids = (service.instances?.webs ?? []).map(({ pid }) => pid);
    const sorted = [...this.times].sort((a, b) => a - b);
    const at = (part: number) => `${Math.round(sorted[Math.ceil(sorted.length * part) - 1] ?? 0)} ms`;
    const answers = [...this.statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
    const cells = [
      scenario,
      load,
      at(0.5),
      at(0.95),
      at(0.99),
      answers,
      lost,
      duplicated,
      pids.map(memoryOf).join(', '),
      costOf(service.log),
      processorOf(pids, service.log),
    ];
    process.stderr.write(`| ${cells.join(' | ')} |\n`);
  }
}

function memoryOf(pid: number): string {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return `${Math.round(Number(peak) / 1024)} MB`;
  } catch {
    return 'ended';
  }
}

function processorOf(pids: readonly number[], log: readonly string[]): string {
  try {
    const ticks = pids.map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return Number(fields[11]) + Number(fields[12]);
    });
    const total = ticks.reduce((sum, each) => sum + each, 0) * MS_PER_TICK;
    return `${Math.round(total / Math.max(1, answersIn(log).length))} ms`;
  } catch {
    return 'ended';
  }
}

function answersIn(log: readonly string[]): string[] {
  return log
    .join('')
    .split('\n')
    .filter((line) => line.includes('"message":"answered"'));
}

function costOf(log: readonly string[]): string {
  const answered = answersIn(log).map((line) => JSON.parse(line) as Readonly<Record<string, number>>);
  const average = (name: string) =>
    (answered.reduce((sum, line) => sum + (line[name] ?? 0), 0) / Math.max(1, answered.length)).toFixed(1);
  return `${average('code_host_requests')} + ${average('database_requests')}`;
}
