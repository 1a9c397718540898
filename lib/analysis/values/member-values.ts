import { accessedPaths, type Expression, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import { innermostSteps } from '#lib/workflow/model/action-uses.ts';
import type { Job, Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import { memoInRepository, RepositoryMemo } from '../memo.ts';
import { definitionAt, definitionsOf, type Place, type ValueDefinition, type WordsDefinition } from './definitions.ts';
import { namesIn } from './output-file-values.ts';

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
        accessedPaths(node).every((path) =>
          fixedPaths.get(repository, place.at, `${depth} ${place.caller === undefined} ${path}`, () =>
            isFixedPath(path.split('.'), place, repository, depth),
          ),
        ),
    )
  );
}

const fixedPaths = new RepositoryMemo<Step | Job, string, boolean>();

function isFixedPath(path: readonly string[], place: Place, repository: Repository, depth: number): boolean {
  const [context, name = '*'] = path;
  if (OF_MEMBERS.test(path.join('.'))) return true;
  if (context === 'inputs') return takesMembersInputs(place);
  const written = context === 'env' && mayBeOverwritten(name, place, repository);
  if (written || !/^(?:env|matrix|steps)$/.test(context ?? '')) return false;
  const definitions = definitionsOf({ path }, place, repository);
  const isFixed = (each: ValueDefinition): boolean =>
    each.kind === 'words'
      ? isConstant(each)
      : each.kind === 'text' && areFixed(each.expressions, each, repository, depth - 1);
  return (context === 'matrix' || definitions.length > 0) && definitions.every(isFixed);
}

function isConstant({ words, write }: WordsDefinition): boolean {
  const [command, ...others] = write?.pipeline ?? [];
  return (
    command?.program === 'echo' &&
    others.length === 0 &&
    words.every(
      ({ text, variables, expressions }) => variables.length + expressions.length === 0 && !/\$\(|`/.test(text),
    )
  );
}

function takesMembersInputs({ at, caller }: Place): boolean {
  const definition = definitionAt(at);
  if (caller !== undefined || definition.kind === 'action') return false;
  return definition.triggers.every(({ event }) => event !== 'workflow_call');
}

function mayBeOverwritten(name: string, { at }: Place, repository: Repository): boolean {
  if (at.kind === 'job') return false;
  const written = variablesWritten(at.parent, repository);
  return written === 'any' || written.has(name.toLowerCase());
}

const variablesWritten = memoInRepository(({ steps }: Step['parent'], repository): 'any' | ReadonlySet<string> => {
  const names = new Set<string>();
  for (const step of innermostSteps(steps, repository)) {
    for (const write of commandFileWrites(step)) {
      if (write.file !== 'env') continue;
      const written = namesIn(write);
      if (written.length === 0) return 'any';
      for (const name of written) names.add(name);
    }
  }
  return names;
});
