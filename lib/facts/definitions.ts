import type { Definition } from '#lib/workflow/model/model.ts';
import { parseAction } from '#lib/workflow/parse/action.ts';
import { parseWorkflow } from '#lib/workflow/parse/workflow.ts';
import { createSource } from '#lib/workflow/text/source.ts';

const parsed = new Map<string, Definition | undefined>();
const MAX_PARSED = 100;
const MAX_KEPT_LENGTH = 20_000;

/**
 * Parses a definition from another repository: a workflow if the path is a file's, else an action. Undefined for other
 * text.
 */
export function definitionIn(path: string, text: string): Definition | undefined {
  const isWorkflow = /\.ya?ml$/.test(path);
  const key = `${isWorkflow ? 'w' : 'a'}${text}`;
  if (parsed.has(key)) return parsed.get(key);
  const source = createSource(isWorkflow ? path : 'action.yml', text);
  const { definition } = isWorkflow ? parseWorkflow(source) : parseAction(source);
  if (parsed.size >= MAX_PARSED) parsed.clear();
  if (key.length <= MAX_KEPT_LENGTH) parsed.set(key, definition);
  return definition;
}
