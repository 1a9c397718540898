import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { isOfRepository, pathsIn, storedCredentialIn } from '../privileges/remotes.ts';
import type { PullRequestCode, PullRequestNames } from './pull-request-refs.ts';
import type { RefTracer } from './ref-provenance.ts';

export interface CreatedRef {
  readonly step: Step;
  readonly span: Span;
  readonly code: PullRequestCode;
  readonly branch: string | undefined;
  readonly credential: string | undefined;
}

export const CREATES_REFS = /\/git\/refs|\/merges\b|\b(?:createRef|updateRef|repos\.merge)\s*\(/;

export function createdRefs(
  step: Step,
  tracer: RefTracer,
  names: PullRequestNames,
  repository: Repository,
): CreatedRef[] {
  const script = actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined;
  if (!CREATES_REFS.test(script?.value ?? step.run?.value ?? '')) return [];
  return script === undefined ? byCommand(step, tracer, names, repository) : byScript(step, names);
}

const ROUTE =
  /^\/?repos\/(\$\{\{[^{}]{1,150}\}\}|[^/]{1,100}(?:\/[^/]{1,100})?)\/(?:git\/refs(?:\/(.{1,200}))?|merges)$/;

function byCommand(step: Step, tracer: RefTracer, names: PullRequestNames, repository: Repository): CreatedRef[] {
  return commandsOf(step).flatMap(({ program, args, span }) => {
    if (program !== 'gh' || args[0]?.value !== 'api') return [];
    const route = args.map(({ value }) => ROUTE.exec(value.slice(0, 300))).find((match) => match !== null);
    if (route === undefined || !(route[1] === '{owner}/{repo}' || isOfRepository(route[1] ?? '', step, repository))) {
      return [];
    }
    const commit = args.find(({ value }) => /^(?:sha|head)=/.test(value));
    const code = commit === undefined ? undefined : names.commitAmong(tracer.ofWord(commit, step));
    if (code === undefined) return [];
    const named = args.map(({ value }) => /^(?:ref|base)=(.+)$/.exec(value)?.[1]).find((name) => name !== undefined);
    const branch = (named ?? route[2])?.replace(/^(?:refs\/)?heads\//, '');
    const token = environmentValue('GH_TOKEN', step) ?? environmentValue('GITHUB_TOKEN', step);
    return [{ step, span, code, branch, credential: token && storedCredentialIn(pathsIn(token.text)) }];
  });
}

const CALL = /\b(?:createRef|updateRef|repos\.merge)\s*\(\s*\{([^{}]{0,600}(?:\{[^{}]{0,200}\}[^{}]{0,300})*)\}/g;
const HEAD = /\b(?:sha|head)\s*:\s*['"`]?(?:context\.payload\.|\$\{\{\s*github\.event\.)(pull_request\.head\.sha)\b/;
const NAMED = /\b(?:ref|base)\s*:\s*(['"`])((?:(?!\1).){1,200})\1/;

function byScript(step: Step, names: PullRequestNames): CreatedRef[] {
  const script = inputOf(step, 'script');
  if (script === undefined) return [];
  const found: CreatedRef[] = [];
  for (const [, call = ''] of script.value.slice(0, MAX_SCRIPT).matchAll(CALL)) {
    const [, path] = HEAD.exec(call) ?? [];
    if (path === undefined) continue;
    const source = `github.event.${path}`;
    if (names.of({ path: source, within: '' }) !== 'sha' || !/context\.repo\b/.test(call)) continue;
    const token = inputOf(step, 'github-token');
    const branch = NAMED.exec(call)?.[2]?.replace(/^(?:refs\/)?heads\//, '');
    const span = step.uses?.text.span ?? step.span;
    const credential = token && storedCredentialIn(pathsIn(token));
    found.push({ step, span, code: { ref: 'sha', moves: false, source }, branch, credential });
  }
  return found;
}

const MAX_SCRIPT = 20_000;
