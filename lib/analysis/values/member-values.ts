import { accessedPaths, type Expression, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Job, Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { definitionAt, definitionsOf, type Place, type ValueDefinition } from './definitions.ts';
import { namesWritten } from './output-file-values.ts';

const OF_MEMBERS =
  /^(?:secrets|vars|runner|github\.(?:api_url|event\.inputs|event_name|graphql_url|job|repository|repository_id|repository_owner|repository_owner_id|run_attempt|run_id|run_number|server_url|sha|token|workflow|workspace))(?:\.|$)/;

const MAX_DEPTH = 4;

/** True if members of the repository or GitHub chose every part of a text, so that no outsider can. */
export function isChosenByMembers(text: Text, at: Step | Job, repository: Repository): boolean {
  return areFixed(expressionsIn(text), { at }, repository, MAX_DEPTH);
}

function areFixed(expressions: readonly Expression[], place: Place, repository: Repository, depth: number): boolean {
  return (
    depth > 0 &&
    expressions.every(
      ({ node }) =>
        node !== undefined &&
        accessedPaths(node).every((path) => isFixedPath(path.split('.'), place, repository, depth)),
    )
  );
}

function isFixedPath(path: readonly string[], place: Place, repository: Repository, depth: number): boolean {
  const [context, name = '*'] = path;
  if (OF_MEMBERS.test(path.join('.'))) return true;
  if (context === 'inputs') return takesMembersInputs(place);
  if (context !== 'matrix' && (context !== 'env' || mayBeOverwritten(name, place))) return false;
  const definitions = definitionsOf({ path }, place, repository);
  const isFixed = (each: ValueDefinition): boolean =>
    each.kind === 'text' && areFixed(each.expressions, each, repository, depth - 1);
  return (context === 'matrix' || definitions.length > 0) && definitions.every(isFixed);
}

function takesMembersInputs({ at, caller }: Place): boolean {
  const definition = definitionAt(at);
  if (caller !== undefined || definition.kind === 'action') return false;
  return definition.triggers.every(({ event }) => event !== 'workflow_call');
}

function mayBeOverwritten(name: string, { at }: Place): boolean {
  if (at.kind === 'job') return false;
  return at.parent.steps.some((step) => namesWritten(step).env.has(name.toLowerCase()));
}
