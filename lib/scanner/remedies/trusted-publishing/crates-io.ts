import type { RuleContext } from '#lib/scanner/engine/rule.ts';
import type { TextEdit } from '#lib/workflow/edits/edit.ts';
import { insertStepBefore } from '#lib/workflow/edits/steps.ts';
import { type Expression, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { actionOf } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text } from '#lib/workflow/model/model.ts';
import { CRATES_IO_AUTH, pinned, slugOf } from '../inserted-actions.ts';
import { grantIdentity, registration, WITHOUT_GRANT } from '../publisher-edits.ts';
import type { Attempt } from './attempt.ts';

/** Replaces the stored token with a short-lived one from an inserted step: https://crates.io/docs/trusted-publishing */
export function cratesIoWithoutToken(step: Step, job: Job, { repository, facts }: RuleContext): Attempt {
  const why = whyNot(step, job);
  if (why !== undefined) return { why };
  const tokens = tokensOf(step);
  if (tokens.length === 0 || tokens.some(({ text }) => text.node.shared)) return undefined;
  const known = authBefore(step, job);
  const id = known ?? freeId(job);
  const edits: TextEdit[] = tokens.map(({ expression }) => ({
    span: expression.span,
    text: `\${{ steps.${id}.outputs.token }}`,
  }));
  if (known === undefined) {
    const action = pinned(CRATES_IO_AUTH, facts);
    if ('refusal' in action) return { why: action.refusal };
    const condition = conditionLine(step);
    const inserted =
      condition === undefined
        ? undefined
        : insertStepBefore(step, job, {
            name: 'Get a token of crates.io',
            lines: [`uses: ${action.name}@${action.commit} # ${action.version}`, `id: ${id}`, ...condition],
          });
    if (inserted === undefined) return undefined;
    edits.push(inserted);
  }
  const grant = grantIdentity(job, repository);
  if (grant === undefined) return { why: WITHOUT_GRANT };
  return {
    safety: 'review',
    edits: [...grant.edits, ...edits],
    note: `${registration(job, 'crates.io')} The token is valid for half an hour and cannot publish the first version of a new crate.${grant.note}`,
  };
}

function whyNot(step: Step, { workflow, steps, env }: Job): string | undefined {
  const refused = workflow.triggers.find(({ event }) => /^(?:pull_request_target|workflow_run)$/.test(event));
  if (refused !== undefined) return `crates.io issues no tokens to runs started by \`${refused.event}\`.`;
  if (workflow.triggers.some(({ event }) => event === 'workflow_call')) {
    return 'Other workflows call this one, so the caller has to grant `id-token: write`.';
  }
  if ([workflow.env, env].some((variables) => variables?.get('CARGO_REGISTRY_TOKEN') !== undefined)) {
    return 'The token is available to more than this step: limit it to the step first.';
  }
  const earlier = steps.slice(0, step.index).some((other) => tokensOf(other).length > 0);
  return earlier ? 'An earlier step has to publish this way first.' : undefined;
}

interface Token {
  readonly text: Text;
  readonly expression: Expression;
}

function tokensOf(step: Step): Token[] {
  const variable = step.env?.get('CARGO_REGISTRY_TOKEN')?.value;
  const given = variable === undefined ? undefined : expressionsIn(variable)[0];
  if (variable !== undefined && given !== undefined && isWhole(given, variable)) {
    return isSecret(given) ? [{ text: variable, expression: given }] : [];
  }
  const script = step.run;
  if (script === undefined || !/\bcargo\b/.test(script.value)) return [];
  return expressionsIn(script).flatMap((expression) =>
    isSecret(expression) && /--token[= ]["']?$/.test(script.value.slice(0, expression.range.start))
      ? [{ text: script, expression }]
      : [],
  );
}

function isSecret({ node }: Expression): boolean {
  return node?.type === 'access' && node.path.length === 2 && node.path[0] === 'secrets';
}

function isWhole({ range }: Expression, { value }: Text): boolean {
  return value.trim() === value.slice(range.start, range.end);
}

function authBefore(step: Step, job: Job): string | undefined {
  const auth = job.steps
    .slice(0, step.index)
    .find((other) => actionOf(other)?.slug === slugOf(CRATES_IO_AUTH) && other.with === undefined);
  const always = auth?.condition === undefined || auth.condition.value === step.condition?.value;
  return always ? auth?.id?.value : undefined;
}

function freeId({ steps }: Job): string {
  const taken = new Set(steps.map(({ id }) => id?.value));
  return ['auth', 'crates-io', 'crates-io-auth'].find((id) => !taken.has(id)) ?? 'crates-io-token';
}

function conditionLine({ condition }: Step): string[] | undefined {
  if (condition === undefined) return [];
  const { node, span } = condition;
  const written = node.origin.slice(span.start, span.end);
  return node.shared || /[\r\n]/.test(written) ? undefined : [`if: ${written}`];
}
