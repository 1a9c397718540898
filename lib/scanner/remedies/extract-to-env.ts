import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { indentUnit, insertKeys, mayInsert, setKey } from '#lib/workflow/edits/keys.ts';
import { replaceRange } from '#lib/workflow/edits/scalars.ts';
import type { Expression } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step, type Text, type Variables } from '#lib/workflow/model/model.ts';
import { environmentValue } from '#lib/workflow/shell/env-lookup.ts';
import { type Replacement, shellReplacement } from '#lib/workflow/shell/quote-context.ts';
import { isShellCertain, maskExpressions, shellOf } from '#lib/workflow/shell/shell.ts';
import { type StringLanguage, stringReplacement } from '#lib/workflow/shell/string-literals.ts';
import { entryOf } from '#lib/workflow/yaml/parse.ts';

export interface MovedExpressions {
  readonly edits: readonly TextEdit[];
  readonly moved: readonly Expression[];
  readonly certain: boolean;
}

interface Place {
  readonly expression: Expression;
  readonly replacement: Replacement;
}

export function moveToEnvironment(step: Step, expressions: readonly Expression[]): MovedExpressions[] {
  const script = step.run ?? (actionOf(step)?.slug === 'actions/github-script' ? inputOf(step, 'script') : undefined);
  if (script === undefined || script.node.shared || script.value.length > MAX_SCRIPT_LENGTH) return [];
  const masked = maskExpressions(script);
  const places = expressions.flatMap((expression): Place[] => {
    const replacement = placeOf(expression, step, masked);
    return replacement === undefined || !isMovable(expression) ? [] : [{ expression, replacement }];
  });
  return [true, false].flatMap((certain) => {
    const group = places.filter((place) => isCertain(place, step) === certain);
    const edits = editsFor(group, step, script);
    return edits === undefined ? [] : [{ edits, moved: group.map(({ expression }) => expression), certain }];
  });
}

const MAX_SCRIPT_LENGTH = 40_000;

function placeOf({ range }: Expression, step: Step, masked: string): Replacement | undefined {
  if (step.run === undefined) return stringReplacement(masked, range, 'javascript');
  const shell = shellOf(step);
  if (shell === 'posix') {
    // `sh` splits what bash does not.
    const declared = step.shell ?? jobOf(step)?.defaultShell ?? jobOf(step)?.workflow.defaultShell;
    return shellReplacement(masked, range, declared !== undefined && !declared.value.trim().startsWith('bash'));
  }
  const languages: Partial<Record<typeof shell, StringLanguage>> = { powershell: 'powershell', python: 'python' };
  const language = languages[shell];
  return language === undefined ? undefined : stringReplacement(masked, range, language);
}

function isMovable({ node, source }: Expression): boolean {
  return node !== undefined && !/["\\\r\n]/.test(source) && source.length <= 200;
}

const BRANCH = /^github\.(?:head_ref|base_ref|event\.pull_request\.(?:head|base)\.ref)$/;

/** True if the move changes no result: quoting does not affect a branch name, which is one word and always set in pull requests. */
function isCertain({ replacement, expression }: Place, step: Step): boolean {
  if (step.run !== undefined && !isShellCertain(step)) return false;
  if (replacement.certain) return true;
  const triggers = jobOf(step)?.workflow.triggers ?? [];
  const always = triggers.length > 0 && triggers.every(({ event }) => /^pull_request(?:_target)?$/.test(event));
  return always && BRANCH.test(expression.source.toLowerCase());
}

function editsFor(places: readonly Place[], step: Step, script: Text): TextEdit[] | undefined {
  if (places.length === 0) return undefined;
  const names = new Names(step, maskExpressions(script));
  const edits: TextEdit[] = [];
  for (const { expression, replacement } of places) {
    const { start, end } = replacement.range;
    const written = replacement.write(names.nameFor(expression));
    const text = script.node.style === 'double' ? written.replaceAll('"', '\\"') : written;
    if (script.node.style === 'single' && text.includes("'")) return undefined;
    const edit = replaceRange(script, start, end, text);
    if (edit === undefined) return undefined;
    edits.push(edit);
  }
  if (names.added.size === 0) return edits;
  const declared = declare(step, names.added);
  return declared === undefined ? undefined : [declared, ...edits];
}

function declare(step: Step, variables: ReadonlyMap<string, string>): TextEdit | undefined {
  const definition = step.parent.kind === 'job' ? step.parent.workflow : step.parent;
  if (!mayInsert(definition)) return undefined;
  const values = Object.fromEntries([...variables].map(([name, source]) => [name, valueOf(source)]));
  const env = entryOf(step.mapping, 'env')?.value;
  if (env !== undefined) return env.kind === 'mapping' ? insertKeys(env, values) : undefined;
  if (step.mapping.flow) return undefined;
  const before = step.run === undefined ? 'with' : 'run';
  return setKey(step.mapping, 'env', values, { before, unit: indentUnit(definition) });
}

function valueOf(source: string): string {
  const text = `\${{ ${source} }}`;
  return /: | #/.test(text) ? `"${text}"` : text;
}

class Names {
  readonly added = new Map<string, string>();
  readonly #step: Step;
  readonly #script: string;
  readonly #byExpression = new Map<string, string>();
  readonly #taken: ReadonlySet<string>;

  constructor(step: Step, script: string) {
    this.#step = step;
    this.#script = script;
    const job = jobOf(step);
    const all = [step.env, job?.env, job?.workflow.env, job?.container?.env];
    this.#taken = new Set(all.flatMap((variables) => namesOf(variables)));
    for (const { name, value } of step.env?.entries ?? []) {
      const source = /^\$\{\{([^{}]+)\}\}$/.exec(value.value)?.[1]?.trim();
      if (source !== undefined && /^[A-Za-z_]\w{0,100}$/.test(name) && this.#isFree(name))
        this.#byExpression.set(source, name);
    }
  }

  nameFor({ source, node }: Expression): string {
    const known = this.#byExpression.get(source);
    if (known !== undefined) return known;
    const own = node?.type === 'access' ? this.#environmentName(source) : undefined;
    const name = own ?? this.#newName(source);
    this.#byExpression.set(source, name);
    if (own === undefined) this.added.set(name, source);
    return name;
  }

  #environmentName(source: string): string | undefined {
    const [, written] = /^env\.([A-Za-z_]\w*)$/.exec(source) ?? [];
    const defined = written === undefined ? undefined : environmentValue(written, this.#step);
    if (written === undefined || defined === undefined || !this.#isFree(written)) return undefined;
    return this.#taken.has(written) ? written : undefined;
  }

  #isFree(name: string): boolean {
    return !new RegExp(
      `(?:^|[^\\w.$])${name}(?:\\+?=|\\b\\s*=)|\\b(?:read|unset|for)\\b[^\\n]{0,200}\\b${name}\\b`,
    ).test(this.#script);
  }

  #newName(source: string): string {
    const [start = ''] = /^[\w.-]*/.exec(source) ?? [];
    const words = start.replace(/^github\.(?:event\.)?/i, '').replace(/[^A-Za-z0-9]+/g, '_');
    const base = words
      .replace(/^_|_$/g, '')
      .toUpperCase()
      .slice(0, 60)
      .replace(/^(?=\d|$)/, 'VALUE_');
    const safe = RESERVED.test(base) ? `VALUE_OF_${base}` : base;
    const upper = new Set([...this.#taken, ...this.added.keys()].map((name) => name.toUpperCase()));
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? safe : `${safe}_${count}`;
      if (!upper.has(name) && !new RegExp(`\\b${name}\\b`).test(this.#script)) return name;
    }
  }
}

const RESERVED =
  /^(?:GITHUB|RUNNER|ACTIONS|INPUT|STATE|BASH|LC|LD|DYLD|GIT|GH|NODE|NPM|PYTHON|JAVA|DOCKER|AWS|AZURE)_|^(?:PATH|CI|HOME|USER|SHELL|LANG|PWD|IFS|ENV|TERM|TMPDIR|EDITOR|DEBUG|VERSION|ACTOR)$/;

function namesOf(variables: Variables | undefined): string[] {
  return variables?.entries.map(({ name }) => name) ?? [];
}
