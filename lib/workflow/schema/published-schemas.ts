import { TemplateSchema } from '@actions/workflow-parser/templates/schema/index';
import {
  BooleanToken,
  MappingToken,
  NumberToken,
  SequenceToken,
  StringToken,
  type TemplateToken,
} from '@actions/workflow-parser/templates/tokens/index';
import actionSchema from '../../../node_modules/@actions/workflow-parser/dist/action-v1.0.min.json';
import workflowSchema from '../../../node_modules/@actions/workflow-parser/dist/workflow-v1.0.min.json';

type Json = string | number | boolean | readonly Json[] | { readonly [key: string]: Json };

/**
 * Reads the code host's schema of a kind of file. The library would first validate the schema, which takes longer than
 * scanning a small file.
 */
export function readPublishedSchema(kind: 'workflow' | 'action'): TemplateSchema {
  return new TemplateSchema(toMapping(kind === 'workflow' ? workflowSchema : actionSchema));
}

function toMapping(value: { readonly [key: string]: Json }): MappingToken {
  const mapping = new MappingToken(undefined, undefined, undefined);
  for (const key in value) mapping.add(toText(key), toToken(value[key] as Json));
  return mapping;
}

function toToken(value: Json): TemplateToken {
  if (typeof value === 'string') return toText(value);
  if (typeof value === 'boolean') return new BooleanToken(undefined, undefined, value, undefined);
  if (typeof value === 'number') return new NumberToken(undefined, undefined, value, undefined);
  if (!isList(value)) return toMapping(value);
  const sequence = new SequenceToken(undefined, undefined, undefined);
  for (const item of value) sequence.add(toToken(item));
  return sequence;
}

function isList(value: readonly Json[] | { readonly [key: string]: Json }): value is readonly Json[] {
  return Array.isArray(value);
}

function toText(text: string): StringToken {
  return new StringToken(undefined, undefined, text, undefined);
}
