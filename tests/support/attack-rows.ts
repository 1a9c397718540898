import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';

export type Files = Readonly<Record<string, string>>;
export type StepLike = string | Readonly<Record<string, unknown>>;

interface Row {
  readonly name: string;
  readonly files: Files;
  readonly missed?: string;
}

interface Suite {
  readonly rules: readonly string[];
  readonly atLeast?: Severity;
  readonly attacks: readonly Row[];
  readonly nearMisses: readonly Row[];
}

export const LOCAL = './.github/actions/local';
export const CALLED = './.github/workflows/called.yml';
const SEVERITIES: readonly Severity[] = ['INFO', 'LOW', 'MEDIUM', 'HIGH'];

export function row(name: string, files: string | Files): Row {
  return { name, files: typeof files === 'string' ? main(files) : files };
}

export function missed(why: string, attack: Row): Row {
  return { ...attack, missed: why };
}

export function workflow(on: unknown, steps: readonly StepLike[], job: object = {}, top: object = {}): string {
  return stringify({
    on,
    permissions: { contents: 'write' },
    ...top,
    jobs: { main: { 'runs-on': 'ubuntu-latest', ...job, steps: steps.map(asStep) } },
  });
}

export function jobs(on: unknown, all: Readonly<Record<string, object>>, top: object = {}): string {
  const entries = Object.entries(all).map(([id, job]) => [
    id,
    'uses' in job
      ? job
      : {
          'runs-on': 'ubuntu-latest',
          ...job,
          ...('steps' in job ? { steps: (job.steps as StepLike[]).map(asStep) } : {}),
        },
  ]);
  return stringify({ on, permissions: { contents: 'write' }, ...top, jobs: Object.fromEntries(entries) });
}

export function composite(steps: readonly StepLike[], top: object = {}): Files {
  const own = steps.map((step) => {
    const each = asStep(step);
    return 'run' in each ? { shell: 'bash', ...each } : each;
  });
  return {
    '.github/actions/local/action.yml': stringify({
      name: 'local',
      description: 'Does a part of a job',
      ...top,
      runs: { using: 'composite', steps: own },
    }),
  };
}

export function script(code: string, rest: object = {}): StepLike {
  return { uses: 'actions/github-script@v7', ...rest, with: { script: code } };
}

export function main(text: string, others: Files = {}): Files {
  return { '.github/workflows/main.yml': text, ...others };
}

function asStep(step: StepLike): Readonly<Record<string, unknown>> {
  return typeof step === 'string' ? { run: step } : step;
}

export function testSuite({ rules: ids, atLeast = 'MEDIUM', attacks, nearMisses }: Suite): void {
  const chosen = rules.filter(({ id }) => ids.includes(id));
  const reportsOf = ({ files }: Row): { enough: string[]; all: string } => {
    const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
    const { findings, diagnostics } = scanRepository(createRepository(inputs, 'acme/app'), { rules: chosen });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const described = (list: readonly Finding[]): string[] =>
      list.map(({ severity, ruleId, description }) => `${severity} ${ruleId} ${description}`);
    const enough = findings.filter(({ severity }) => SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(atLeast));
    return { enough: described(enough), all: `all reports: ${described(findings).join('\n')}` };
  };
  const expectReports = (each: Row, reported: boolean): void => {
    const { enough, all } = reportsOf(each);
    if (reported) expect(enough, all).not.toEqual([]);
    else expect(enough).toEqual([]);
  };

  it('has a name of its own for each row', () => {
    const names = [...attacks, ...nearMisses].map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    expect(chosen.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  const seen = attacks.filter(({ missed }) => missed === undefined);
  it.each(seen.map((each) => [each.name, each] as const))('reports %s', (_, each) => {
    expectReports(each, true);
  });

  const unseen = attacks.filter((each) => each.missed !== undefined);
  it.runIf(unseen.length > 0).each(unseen.map((each) => [each.name, each.missed, each] as const))(
    'does not report yet %s: %s',
    (_, _reason, each) => {
      expectReports(each, false);
    },
  );

  it.each(nearMisses.map((each) => [each.name, each] as const))('is quiet on %s', (_, each) => {
    expectReports(each, false);
  });
}

export const AFTER_BUILD = { workflow_run: { workflows: ['Build'], types: ['completed'] } };
export const BUILD_RUN = '${{ github.event.workflow_run.id }}';

export function buildOf(artifact: string): Files {
  return {
    '.github/workflows/build.yml': workflow(
      'pull_request',
      ['make', { uses: 'actions/upload-artifact@v4', with: { name: artifact, path: artifact } }],
      {},
      { name: 'Build' },
    ),
  };
}
