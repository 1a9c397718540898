import type { ExpressionNode } from '#lib/workflow/expressions/expression.ts';

export interface ObjectTest {
  readonly field: string;
  readonly meant: string;
  readonly negated: boolean;
}

const FIELD_OF: readonly (readonly [RegExp, string])[] = [
  [
    /\.(?:actor|assignee|author|committer|creator|owner|sender|triggering_actor|user|organization|requested_reviewer|member)$/,
    'login',
  ],
  [/\.(?:base_repository|head_repository|repo|repository|forkee)$/, 'full_name'],
  [/\.(?:label|category|requested_team|team|pusher)$/, 'name'],
  [/\.(?:head|base)$/, 'ref'],
  [/\.milestone$/, 'title'],
  [/\.(?:comment|review)$/, 'body'],
  [/\.(?:head_commit)$/, 'id'],
  [/\.(?:issue|pull_request|discussion)$/, 'number'],
  [/\.(?:release)$/, 'tag_name'],
  [/\.(?:workflow_run)$/, 'name'],
  [/\.(?:labels)$/, '*.name'],
];

const FREE = /^github\.event\.(?:inputs|client_payload|changes)\b/;

/**
 * Returns the object of the event's payload that a node compares with text or a number. An object equals neither, so
 * that the comparison has one result.
 */
export function objectTest(node: ExpressionNode): ObjectTest | undefined {
  if (node.type !== 'compare' || (node.operator !== '==' && node.operator !== '!=')) return undefined;
  const [left, right] = node.args;
  const negated = node.operator === '!=';
  const found = objectIn(left, right) ?? objectIn(right, left);
  return found && { ...found, negated };
}

function objectIn(
  subject: ExpressionNode | undefined,
  other: ExpressionNode | undefined,
): Omit<ObjectTest, 'negated'> | undefined {
  if (subject?.type !== 'access' || other === undefined || !isText(other)) return undefined;
  const field = subject.path.join('.');
  if (!field.startsWith('github.event.') || FREE.test(field) || field.includes('*')) return undefined;
  const meant = FIELD_OF.find(([pattern]) => pattern.test(field))?.[1];
  return meant === undefined ? undefined : { field, meant: `${field}.${meant}` };
}

/** Conditions compare with null or true to ask whether an object exists. */
function isText(node: ExpressionNode): boolean {
  if (node.type === 'literal')
    return (
      (typeof node.value === 'string' && node.value !== '') || (typeof node.value === 'number' && node.value !== 0)
    );
  return (
    node.type === 'access' &&
    /^(?:github\.(?:repository|repository_owner|actor|triggering_actor)|vars\..+)$/.test(node.path.join('.'))
  );
}
