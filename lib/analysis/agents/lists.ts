import type { Step, Text } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { ShellCommand } from '#lib/workflow/shell/shell.ts';
import { textOfAnswer } from '../dataflow/event-payload-fields.ts';
import { reachedFields } from '../dataflow/reached-operands.ts';
import type { SourceDefinition } from '../values/definitions.ts';
import { scriptValues } from '../values/github-script-values.ts';
import { queriesBehind, queryOf } from '../values/script-queries.ts';
import { ValueTracer } from '../values/value-tracer.ts';

type Answer = 'text' | 'object';

const tracer = new ValueTracer<Answer>({
  found: answersOf,
  accesses: (node) =>
    reachedFields(node).map(({ path, fields }) => {
      const below = path[0] === 'matrix' ? path.slice(2) : [];
      return { path, fields: [...below, ...(fields === '' ? [] : [fields])].join('.') };
    }),
  pass: (answer, _, { fields }) => {
    if (fields === '' || answer === 'text') return answer;
    return textOfAnswer(fields) === undefined ? undefined : 'text';
  },
  distinct: (answers) => [...new Set(answers)],
});

export function holdsList(text: Text, step: Step, repository: Repository): boolean {
  return tracer.ofText(text, { at: step }, repository).length > 0;
}

export function readsList(command: ShellCommand, step: Step, repository: Repository): boolean {
  const { args, pipeline } = command;
  const before = pipeline.slice(0, pipeline.indexOf(command));
  const queries = before.flatMap((each) => queryOf(each) ?? []).filter(({ git }) => git === undefined);
  return (
    queriesBehind(queries, before).size > 0 ||
    args.some((word) => tracer.ofWord(word, { at: step }, repository).length > 0)
  );
}

function answersOf({ source, at }: SourceDefinition): readonly Answer[] {
  if (source.kind === 'query') {
    const { git, whole } = source.query;
    return git === undefined ? [whole === true ? 'object' : 'text'] : [];
  }
  if (source.kind !== 'output' || at.kind !== 'step') return [];
  return scriptValues(source.step, source.name).flatMap((value) =>
    value.kind === 'lookup' ? [value.field === undefined ? 'object' : 'text'] : [],
  );
}
