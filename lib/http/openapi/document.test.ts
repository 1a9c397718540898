import { expect, it } from 'vitest';
import { PROBLEM_MEDIA_TYPE } from '../route/problem.ts';
import { ProblemBody } from '../schemas/common.ts';
import { openApiDocument } from './document.ts';
import { areaOf, OPERATIONS } from './operations.ts';

interface Answer {
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly $ref: string }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { tags: string[]; responses: Record<string, Answer> }>>>
  >;
  readonly components: { readonly examples: Readonly<Record<string, { readonly value: unknown }>> };
}

const document = openApiDocument('full', 'https://example.test') as unknown as Document;

it('lists each operation under its area’s heading', () => {
  const tags = OPERATIONS.map(({ path, verb }) => document.paths[path]?.[verb.toLowerCase()]?.tags);
  expect(tags).toEqual(OPERATIONS.map((operation) => [areaOf(operation)]));
});

it('shows each problem of an operation with its real body', () => {
  const answers = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([, { content = {} }]) => PROBLEM_MEDIA_TYPE in content);
  expect(answers.length).toBeGreaterThan(OPERATIONS.length);
  for (const [status, { content = {} }] of answers) {
    const examples = Object.entries(content[PROBLEM_MEDIA_TYPE]?.examples ?? {});
    expect(examples.length).toBeGreaterThan(0);
    for (const [code, { $ref }] of examples) {
      expect($ref).toBe(`#/components/examples/${code}`);
      const problem = ProblemBody.parse(document.components.examples[code]?.value);
      expect(problem).toMatchObject({ code, status: Number(status), type: `/problems/${code}` });
    }
  }
});
