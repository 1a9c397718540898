import { getActionSchema } from '@actions/workflow-parser/actions/action-schema';
import { getWorkflowSchema } from '@actions/workflow-parser/workflows/workflow-schema';
import { describe, expect, it } from 'vitest';
import { readPublishedSchema } from './published-schemas.ts';

describe('readPublishedSchema', () => {
  it.each([
    ['workflow', getWorkflowSchema],
    ['action', getActionSchema],
  ] as const)('reads the same definitions of a %s as the library', (kind, read) => {
    const library = read();
    const own = readPublishedSchema(kind);
    expect(Object.keys(library.definitions).length).toBeGreaterThan(50);
    expect(own).toStrictEqual(library);
    expect(Object.keys(own.definitions)).toEqual(Object.keys(library.definitions));
  });
});
