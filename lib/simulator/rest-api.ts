import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import described from './rest-api.generated.json';

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly body: { readonly required: boolean; readonly schema: object | null } | null;
  readonly responses: Readonly<Record<string, object | null>>;
}

interface Description {
  readonly operations: readonly Operation[];
  readonly definitions: Readonly<Record<string, { readonly required?: readonly string[] }>>;
}

const { operations, definitions } = described as unknown as Description;

const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, logger: false });
addFormats(ajv);
ajv.addSchema({ $id: 'github', definitions });

const compiled = new WeakMap<object, ValidateFunction>();

export function problemsOf(schema: object, value: unknown): string[] {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = ajv.compile(schema);
    compiled.set(schema, check);
  }
  if (check(value)) return [];
  return (check.errors ?? []).slice(0, 5).map(({ instancePath, message }) => `${instancePath} ${message}`.trim());
}

const WITH_SLASHES = /\{(?:ref|basehead)\}/;

const routes = operations
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(WITH_SLASHES, '(.+)').replace(/\{\w+\}/g, '([^/]+)')}$`),
    names: [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
  }))
  .sort((a, b) => a.names.length - b.names.length || b.operation.path.length - a.operation.path.length);

export interface Matched {
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, string>>;
}

export function findOperation(method: string, path: string): Matched | undefined {
  for (const { operation, pattern, names } of routes) {
    const match = operation.method === method ? pattern.exec(path) : null;
    if (match === null) continue;
    const values = names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]);
    return { operation, parameters: Object.fromEntries(values) as Record<string, string> };
  }
  return undefined;
}

export function requestProblems({ operation, parameters }: Matched, query: URLSearchParams, body: unknown): string[] {
  const problems: string[] = [];
  const known = new Set(operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
  for (const name of query.keys()) if (!known.has(name)) problems.push(`There is no query parameter "${name}".`);
  for (const { name, in: place, required, schema } of operation.parameters) {
    const value = place === 'path' ? parameters[name] : place === 'query' ? (query.get(name) ?? undefined) : undefined;
    if (value === undefined) {
      if (required && place !== 'header') problems.push(`The parameter "${name}" is missing.`);
      continue;
    }
    const typed = (schema as { type?: unknown }).type === 'integer' && /^-?\d+$/.test(value) ? Number(value) : value;
    problems.push(...problemsOf(schema, typed).map((problem) => `${name}: ${problem}`));
  }
  if (body === undefined) {
    if (operation.body?.required === true) problems.push('The body is missing.');
  } else if (operation.body === null) problems.push('No body is expected.');
  else if (operation.body.schema !== null) problems.push(...problemsOf(operation.body.schema, body));
  return problems;
}

export function responseProblems(operation: Operation, status: number, body: unknown): string[] {
  if (!(String(status) in operation.responses)) {
    // The description omits what all operations share: errors and redirects of renamed repositories.
    return status >= 400 || status === 301 ? [] : [`The status ${status} is not described.`];
  }
  const schema = operation.responses[String(status)];
  return schema === null || schema === undefined ? [] : problemsOf(schema, body);
}

const links = new Map<string, readonly string[]>();

export function linksOf(definition: string, base: string): Record<string, string> {
  let names = links.get(definition);
  if (names === undefined) {
    names = (definitions[definition]?.required ?? []).filter((name) => name.endsWith('_url'));
    links.set(definition, names);
  }
  const found: Record<string, string> = {};
  for (const name of names) found[name] = `${base}/${name.slice(0, -'_url'.length)}`;
  return found;
}
