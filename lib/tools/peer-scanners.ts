import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer } from '#lib/data/curated/peer-rules.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { SourceFile } from '#lib/workflow/text/source.ts';

export interface Theirs {
  readonly rule: string;
  readonly file: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly severity: string;
}

export const READERS: Readonly<Partial<Record<Peer, (root: string) => readonly Theirs[] | undefined>>> = {
  zizmor: runZizmor,
  actionlint: runActionlint,
  poutine: runPoutine,
  octoscan: runOctoscan,
};

export function placesIn({
  workflows,
  actions,
}: Repository): (file: string, first: number, last: number) => Set<string> {
  const spans = new Map<string, { readonly name: string; readonly first: number; readonly last: number }[]>();
  for (const definition of [...workflows, ...actions]) {
    const { source } = definition;
    const list = [...stepsOf(definition)].map((step) => ({
      name: `step ${step.span.start}`,
      ...lines(source, step.span),
    }));
    if (definition.kind === 'workflow')
      for (const job of definition.jobs) list.push({ name: `job ${job.id}`, ...lines(source, job.span) });
    spans.set(source.path, list);
  }
  return (file, first, last) => {
    const touched = (spans.get(file) ?? []).filter((span) => span.first <= last && first <= span.last);
    return new Set(touched.length === 0 ? ['file'] : touched.map(({ name }) => name));
  };
}

function lines(
  source: SourceFile,
  span: { readonly start: number; readonly end: number },
): { first: number; last: number } {
  return { first: source.position(span.start).line, last: source.position(Math.max(span.start, span.end - 1)).line };
}

export function touch(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const stepsOfBoth = [a, b].every((set) => [...set].some((name) => name.startsWith('step')));
  return [...a].some((name) => b.has(name) && (!stepsOfBoth || name.startsWith('step')));
}

export function asRepository(root: string): void {
  if (existsSync(join(root, '.git'))) return;
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', root, '-c', 'user.name=peers', '-c', 'user.email=peers@localhost', ...args]);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'as it is');
}

function run(root: string, program: string, ...args: string[]): string {
  const { stdout } = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  return stdout ?? '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function runZizmor(root: string, ...options: string[]): Theirs[] | undefined {
  interface Place {
    readonly symbolic: { readonly kind: string; readonly key: { readonly Local?: { readonly verbatim_path: string } } };
    readonly concrete: {
      readonly location: Readonly<Record<'start_point' | 'end_point', { readonly row: number }>>;
    };
  }
  type Output = readonly {
    readonly ident: string;
    readonly determinations: { readonly severity: string };
    readonly locations: readonly Place[];
  }[];
  const output = parse(run(root, 'zizmor', '--offline', '--no-progress', '--format', 'json', ...options, '.')) as
    | Output
    | undefined;
  return output?.map(({ ident, determinations, locations }) => {
    const place = locations.find(({ symbolic }) => symbolic.kind === 'Primary') ?? locations[0];
    return {
      rule: ident,
      severity: determinations.severity,
      file: (place?.symbolic.key.Local?.verbatim_path ?? '').replace(/^\.\//, ''),
      firstLine: (place?.concrete.location.start_point.row ?? 0) + 1,
      lastLine: (place?.concrete.location.end_point.row ?? 0) + 1,
    };
  });
}

function runActionlint(root: string): Theirs[] | undefined {
  return runLinter(root, 'actionlint', '-shellcheck=', '-pyflakes=');
}

export function runLinter(root: string, program: string, ...options: string[]): Theirs[] | undefined {
  type Output = readonly { readonly kind: string; readonly filepath: string; readonly line: number }[];
  const text = run(root, program, ...options, '-format', '{{json .}}');
  if (text.trim() === '') return [];
  return (parse(text) as Output | undefined)?.map(({ kind, filepath, line }) => {
    return { rule: kind, severity: '', file: filepath, firstLine: line, lastLine: line };
  });
}

function runPoutine(root: string): Theirs[] | undefined {
  interface Output {
    readonly findings: readonly {
      readonly rule_id: string;
      readonly meta: { readonly path: string; readonly line?: number };
    }[];
    readonly rules: Readonly<Record<string, { readonly level: string }>>;
  }
  const output = parse(run(root, 'poutine', 'analyze_local', '.', '--format', 'json', '--quiet')) as Output | undefined;
  return output?.findings.map(({ rule_id: rule, meta }) => {
    const line = meta.line ?? 1;
    return { rule, severity: output.rules[rule]?.level ?? '', file: meta.path, firstLine: line, lastLine: line };
  });
}

function runOctoscan(root: string): Theirs[] | undefined {
  type Output = readonly { readonly kind: string; readonly filepath: string; readonly line: number }[];
  const text = run(root, 'octoscan', 'scan', '--format', 'json', '.');
  if (text.trim() === '') return [];
  return (parse(text) as Output | undefined)?.map(({ kind, filepath, line }) => {
    return { rule: kind, severity: '', file: filepath, firstLine: line, lastLine: line };
  });
}
