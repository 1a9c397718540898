import * as z from 'zod/mini';
import { Content } from './queries.ts';

export interface ActionQuestions {
  readonly owner: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly commits: readonly string[];
  readonly files: readonly string[];
}

const FRAGMENTS = `fragment Action on Repository {
  nameWithOwner visibility isArchived
  defaultBranchRef { name target { oid } }
  tags: refs(refPrefix: "refs/tags/", first: 100, orderBy: { field: TAG_COMMIT_DATE, direction: DESC }) {
    nodes { ...Named } pageInfo { hasNextPage }
  }
  branches: refs(refPrefix: "refs/heads/", first: 100) { nodes { ...Named } pageInfo { hasNextPage } }
}
fragment Named on Ref {
  name
  target { oid ...Dated ... on Tag { target { oid ...Dated ... on Tag { target { oid ...Dated } } } } }
}
fragment Dated on Commit { committedDate }`;

const CONTENT = 'fragment Content on Blob { byteSize isBinary isTruncated text }';

/** Queries many repositories at once. Everything from files is passed as a variable, since outsiders write it. */
export function actionsQuery(questions: readonly ActionQuestions[]): {
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
} {
  const variables: Record<string, string> = {};
  const types: string[] = [];
  const variable = (name: string, type: 'String' | 'GitObjectID', value: string): string => {
    variables[name] = value;
    types.push(`$${name}: ${type}!`);
    return `$${name}`;
  };
  const fields = questions.map(({ owner, name, names, commits, files }, index) => {
    const own = (kind: string, number: number): string => `${kind}${index}_${number}`;
    const asked = [
      ...names.flatMap((each, number) => [
        `t${number}: ref(qualifiedName: ${variable(own('t', number), 'String', `refs/tags/${each}`)}) { ...Named }`,
        `b${number}: ref(qualifiedName: ${variable(own('b', number), 'String', `refs/heads/${each}`)}) { ...Named }`,
      ]),
      ...commits.map(
        (each, number) =>
          `c${number}: object(oid: ${variable(own('c', number), 'GitObjectID', each)}) { type: __typename oid ...Dated }`,
      ),
      ...files.map(
        (each, number) =>
          `f${number}: object(expression: ${variable(own('f', number), 'String', each)}) { ...Content }`,
      ),
    ];
    const at = `owner: ${variable(`o${index}`, 'String', owner)}, name: ${variable(`n${index}`, 'String', name)}`;
    return `r${index}: repository(${at}) { ...Action\n${asked.join('\n')} }`;
  });
  const used = questions.some(({ files }) => files.length > 0) ? `${FRAGMENTS}\n${CONTENT}` : FRAGMENTS;
  return { query: `query Actions(${types.join(', ')}) {\n${fields.join('\n')}\n}\n${used}`, variables };
}

export function ownersQuery(count: number): string {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const types = numbers.map((number) => `$o${number}: String!`).join(', ');
  const fields = numbers.map((number) => `o${number}: repositoryOwner(login: $o${number}) { login }`).join('\n');
  return `query Owners(${types}) {\n${fields}\n}`;
}

const dated = { oid: z.string(), committedDate: z.optional(z.string()) };
const Target = z.object({
  ...dated,
  target: z.optional(z.object({ ...dated, target: z.optional(z.object(dated)) })),
});
export const Named = z.object({ name: z.string(), target: z.nullable(Target) });
export type Named = z.infer<typeof Named>;

const Refs = z.nullable(
  z.object({ nodes: z.array(z.nullable(Named)), pageInfo: z.object({ hasNextPage: z.boolean() }) }),
);

export const FoundAction = z.looseObject({
  nameWithOwner: z.string(),
  visibility: z.string(),
  isArchived: z.boolean(),
  defaultBranchRef: z.nullable(z.object({ name: z.string(), target: z.nullable(z.object({ oid: z.string() })) })),
  tags: Refs,
  branches: Refs,
});
export type FoundAction = z.infer<typeof FoundAction>;

export const FoundObject = z.nullable(z.object({ type: z.string(), ...dated }));
export const FoundRef = z.nullable(Named);
export const FoundFile = Content;
export const ActionsAnswer = z.record(z.string(), z.unknown());
export const OwnersAnswer = z.record(z.string(), z.nullable(z.object({ login: z.string() })));
export const ComparisonAnswer = z.object({ status: z.enum(['diverged', 'ahead', 'behind', 'identical']) });
