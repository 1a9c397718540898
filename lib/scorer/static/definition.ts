import { originsOfWrite } from '#lib/analysis/workspace/tainted-sources.ts';
import type { Finding } from '#lib/scanner/engine/finding.ts';
import type { Severity } from '#lib/scanner/engine/rule.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import type { Action } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { commandFileWrites } from '#lib/workflow/shell/command-files.ts';

export type FindingSignal =
  | 'malicious-code-shape'
  | 'composite-injection-context'
  | 'composite-injection-input'
  | 'remote-code-unverified'
  | 'nested-uses-branch'
  | 'nested-uses-third-party-tag'
  | 'nested-uses-trusted-tag'
  | 'docker-image-latest'
  | 'docker-image-tag'
  | 'github-env-write-from-input'
  | 'insecure-commands';

export interface Hit {
  readonly signal: FindingSignal;
  readonly what: string;
  readonly line: number;
}

type Judge = (finding: Finding) => FindingSignal | undefined;

const JUDGES: Readonly<Record<string, Judge>> = {
  'template-injection': ({ message }) =>
    message === 'caller'
      ? 'composite-injection-input'
      : message === 'member'
        ? undefined
        : 'composite-injection-context',
  'unverified-script-exec': () => 'remote-code-unverified',
  'unpinned-uses': ({ message, attributes }) => {
    if (message !== 'tag') return 'nested-uses-branch';
    const trust = attributes['owner_trust'];
    return trust === 'own' || trust === 'first-party' ? 'nested-uses-trusted-tag' : 'nested-uses-third-party-tag';
  },
  'unpinned-images': ({ message }) => (message === 'moving' ? 'docker-image-latest' : 'docker-image-tag'),
  'insecure-commands': ({ message }) =>
    message === 'enabled' || message === 'computed' || message === 'written' ? 'insecure-commands' : undefined,
  'malicious-workflow-indicator': ({ message }) => (message === 'certain' ? 'malicious-code-shape' : undefined),
  obfuscation: ({ message, severity }) =>
    message === 'decoded' && severity === 'HIGH' ? 'malicious-code-shape' : undefined,
  'secret-exfiltration': ({ message }) =>
    message === 'environment' || message === 'collector' ? 'malicious-code-shape' : undefined,
};

const RULES = rules.filter(({ id }) => JUDGES[id] !== undefined);

export interface DefinitionReading {
  readonly action: Action | undefined;
  readonly hits: readonly Hit[];
  readonly counts: Readonly<Record<Severity, number>>;
}

const REPEATS_OF_SIGNAL = [', which ', ', used by ', ' is inserted into ', ' is downloaded and ', ' lets any printed '];

function subjectOf(description: string): string {
  const ends = REPEATS_OF_SIGNAL.map((words) => description.indexOf(words)).filter((end) => end > 0);
  return description.slice(
    0,
    Math.min(...ends, description.endsWith('.') ? description.length - 1 : description.length),
  );
}

/** Ignores the definition's suppressions. */
export function readDefinition(
  path: string,
  text: string,
  owner: string,
  name: string,
  options: { readonly rules?: typeof RULES } = {},
): DefinitionReading {
  const repository = createRepository([{ path, text }], `${owner}/${name}`, { partial: true });
  const { findings, suppressed } = scanRepository(repository, options);
  const all = [...findings, ...suppressed.map(({ finding }) => finding)];
  const hits = all.flatMap((finding): Hit[] => {
    const signal = JUDGES[finding.ruleId]?.(finding);
    return signal === undefined ? [] : [{ signal, what: subjectOf(finding.description), line: finding.line ?? 1 }];
  });
  const counts = { HIGH: 0, MEDIUM: 0, LOW: 0, INFO: 0 };
  for (const { severity } of all) counts[severity] += 1;
  const [action] = repository.actions;
  for (const step of action?.steps ?? []) {
    for (const write of commandFileWrites(step)) {
      if (write.file !== 'env' && write.file !== 'path') continue;
      const origin = originsOfWrite(write, step, repository).find(({ writer }) => writer !== 'member');
      if (origin === undefined) continue;
      const what = `${origin.source} to GITHUB_${write.file.toUpperCase()}`;
      const { line } = repository.files[0]?.source.position(write.span.start) ?? { line: 1 };
      hits.push({ signal: 'github-env-write-from-input', what, line });
    }
  }
  return { action, hits, counts };
}

export interface Script {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly shell: 'bash' | 'python';
  readonly runs: boolean;
}

/** Runs the rules for scripts over scripts from other files, as steps of a made-up action. */
export function readScripts(scripts: readonly Script[], owner: string, name: string): (Hit & { script: Script })[] {
  if (scripts.length === 0) return [];
  const steps = scripts.map(({ text, shell }) => ({ run: shell === 'bash' ? withoutBackticks(text) : text, shell }));
  const lines = steps.map((step) => JSON.stringify(step));
  const text = `{"name":"scripts","description":"scripts","runs":{"using":"composite","steps":[\n${lines.join(',\n')}\n]}}\n`;
  return readDefinition('action.yml', text, owner, name, { rules: RULES }).hits.flatMap((hit) => {
    const script = scripts[hit.line - 2];
    if (script === undefined) return [];
    const counts = hit.signal === 'malicious-code-shape' || (hit.signal === 'remote-code-unverified' && script.runs);
    return counts ? [{ ...hit, script, line: script.line }] : [];
  });
}

/** The shell parser reads `$(…)` regardless of escapes in it. */
function withoutBackticks(script: string): string {
  return script.replace(/`([^`\\]*(?:\\[^`][^`\\]*)*)`/g, (_, inner: string) => `$(${inner})`);
}
