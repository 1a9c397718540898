import { mayInsert } from '#lib/workflow/edits/keys.ts';
import { replaceScalar } from '#lib/workflow/edits/scalars.ts';
import { type Expression, expressionsIn, nodesOf } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import { commandsOf, maskExpressions, type ShellCommand, shellOf } from '#lib/workflow/shell/shell.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import type { Report } from '../engine/rule.ts';

const BY_HAND =
  'The secrets in use cannot be determined: pass each step only those it reads, each in its own variable.';

const NAME = /^[A-Z_][A-Z0-9_]*$/i;

const LISTS_NAMES: Readonly<Record<string, { readonly json: string; readonly names: string }>> = {
  'onaips/secrets-to-env-action': { json: 'secrets', names: 'include' },
};

const TAKES_ALL: ReadonlySet<string> = new Set(['pulumi/esc-export-secrets-action']);

export function listSecrets(
  text: Text,
  expression: Expression,
  at: Definition | Job | Step,
): Pick<Report, 'fix' | 'advice'> {
  if (at.kind !== 'step') return { advice: BY_HAND };
  if (TAKES_ALL.has(actionOf(at)?.slug ?? '')) {
    return {
      advice: 'This action exists to export all secrets. Run it once, manually, and delete the workflow afterwards.',
    };
  }
  const names = namesRead(text, at);
  const isWhole = text.value.trim() === text.value.slice(expression.range.start, expression.range.end);
  if (names === undefined || !isWhole || !/^tojson\(\s*secrets\s*\)$/i.test(expression.source)) {
    return {
      advice: BY_HAND,
    };
  }
  const definition = jobOf(at)?.workflow ?? (at.parent.kind === 'action' ? at.parent : undefined);
  const pairs = names.map((name) => `"${name}": \${{ toJSON(secrets.${name}) }}`).join(', ');
  const edit = definition !== undefined && mayInsert(definition) ? replaceScalar(text, `'{${pairs}}'`) : undefined;
  if (edit === undefined) return {};
  return {
    fix: {
      safety: 'review',
      edits: [edit],
      note: `The step, and every program it runs, gets only ${names.map((name) => `\`${name}\``).join(', ')}. A secret that does not exist becomes an empty string instead of being absent.`,
    },
  };
}

function namesRead(text: Text, step: Step): string[] | undefined {
  const names = namesInAction(text, step) ?? namesInScript(text, step);
  return names !== undefined && names.length > 0 && names.every((name) => NAME.test(name))
    ? [...new Set(names)]
    : undefined;
}

function namesInAction(text: Text, step: Step): string[] | undefined {
  const kind = LISTS_NAMES[actionOf(step)?.slug ?? ''];
  if (kind === undefined || inputOf(step, kind.json)?.node !== text.node) return undefined;
  const names = inputOf(step, kind.names)?.value;
  return names === undefined || names.includes('${{') ? undefined : names.split(',').map((name) => name.trim());
}

function namesInScript(text: Text, step: Step): string[] | undefined {
  const variable = step.env?.entries.find(({ value }) => value.node === text.node)?.name;
  if (variable === undefined || !/^\w+$/.test(variable)) return undefined;
  if (step.run === undefined || shellOf(step) !== 'posix') return undefined;
  const inExpressions = fieldsInExpressions(variable, step);
  const inCommands = fieldsInCommands(variable, step);
  return inExpressions && inCommands && [...inExpressions, ...inCommands];
}

function fieldsInExpressions(variable: string, step: Step): string[] | undefined {
  const path = `env.${variable.toLowerCase()}`;
  const names: string[] = [];
  for (const text of textsBelow(step.mapping)) {
    for (const { node, source } of expressionsIn(text)) {
      if (!source.toLowerCase().includes(path)) continue;
      if (node === undefined) return undefined;
      let uses = 0;
      let fields = 0;
      for (const each of nodesOf(node)) {
        if (each.type === 'access' && each.path.join('.') === path) uses += 1;
        if (each.type !== 'index' || each.target.type !== 'call' || each.target.name !== 'fromjson') continue;
        const [argument] = each.target.args;
        if (argument?.type !== 'access' || argument.path.join('.') !== path) continue;
        if (each.key.type !== 'literal' || typeof each.key.value !== 'string') return undefined;
        fields += 1;
        names.push(each.key.value);
      }
      if (uses !== fields) return undefined;
    }
  }
  return names;
}

function fieldsInCommands(variable: string, step: Step): string[] | undefined {
  const names: string[] = [];
  const commands = commandsOf(step);
  const seen = commands.filter((command) => holds(command, variable));
  for (const command of seen) {
    // The variables of a substitution also count for its enclosing command.
    if (commands.some(({ within }) => within === command)) continue;
    const reader = command.program === 'jq' ? command : command.pipeline[command.pipeline.indexOf(command) + 1];
    const prints = command === reader || /^(?:echo|printf)$/.test(command.program);
    const name = reader === undefined || reader.program !== 'jq' || !prints ? undefined : fieldOf(reader);
    if (name === undefined) return undefined;
    names.push(name);
  }
  const script = step.run === undefined ? '' : maskExpressions(step.run);
  const expanded = script.split(new RegExp(`\\$\\{?${variable}\\b`)).length - 1;
  // A program in another language can read the variable without a shell expansion.
  const mentioned = script.split(variable).length - 1;
  return expanded === names.length && mentioned === expanded ? names : undefined;
}

function holds({ args, redirects }: ShellCommand, variable: string): boolean {
  const words = [...args, ...redirects.flatMap(({ body }) => body ?? [])];
  return words.some(({ variables }) => variables.includes(variable));
}

function fieldOf({ args }: ShellCommand): string | undefined {
  const rest = args
    .map(({ value }) => value)
    .filter((value) => !/^(?:-r|-e|-er|-re|--raw-output|--exit-status)$/.test(value));
  const [, name] = rest.length === 1 ? (/^\.\[?"?(\w+)"?\]?$/.exec(rest[0] ?? '') ?? []) : [];
  return name;
}
