import { openApiDocument } from '#lib/http/openapi/document.ts';
import type { PartName } from './part-switch.tsx';

type Json = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly fields: readonly Field[];
}

export interface ApiOperation {
  readonly id: string;
  readonly verb: string;
  readonly path: string;
  readonly area: string;
  readonly summary: string;
  readonly description: string;
  readonly access: 'public' | 'user' | 'cron' | 'webhook';
  readonly parameters: readonly (Field & { readonly place: string })[];
  readonly body: readonly Field[];
  readonly answers: readonly Answer[];
  readonly curl: string;
}

const MAX_DEPTH = 4;

export function readReference(part: PartName, webUrl: string): readonly ApiOperation[] {
  const document = openApiDocument(part, webUrl);
  const { schemas } = document['components'] as { readonly schemas: Json };
  return Object.entries(document['paths'] as Record<string, Record<string, Json>>).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => toOperation(path, verb.toUpperCase(), operation, schemas, webUrl)),
  );
}

function toOperation(path: string, verb: string, operation: Json, schemas: Json, webUrl: string): ApiOperation {
  const parameters = (operation['parameters'] ?? []) as readonly Json[];
  const body = contentOf(operation['requestBody'] as Json | undefined);
  const [scheme] = Object.keys((operation['security'] as readonly Json[])[0] ?? {});
  const access = (scheme ?? 'public') as ApiOperation['access'];
  return {
    id: textOf(operation['operationId']),
    verb,
    path,
    area: textOf((operation['tags'] as readonly unknown[])[0]),
    summary: textOf(operation['summary']),
    description: textOf(operation['description']),
    access,
    parameters: parameters.map((parameter) => ({
      name: textOf(parameter['name']),
      place: textOf(parameter['in']),
      required: parameter['required'] === true,
      type: typeOf(parameter['schema'] as Json, schemas),
      description: textOf(parameter['description']),
    })),
    body: body === undefined ? [] : fieldsOf(body, schemas),
    answers: Object.entries(operation['responses'] as Record<string, Json>).map(([status, response]) => {
      const schema = Number(status) < 300 ? contentOf(response) : undefined;
      return {
        status,
        description: textOf(response['description']),
        fields: schema === undefined ? [] : fieldsOf(schema, schemas),
      };
    }),
    curl: curlOf({ path, verb, access, parameters, body: body && exampleOf(body, schemas), webUrl }),
  };
}

function contentOf(part: Json | undefined): Json | undefined {
  const content = Object.values((part?.['content'] ?? {}) as Record<string, Json>)[0];
  return content?.['schema'] as Json | undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function resolve(schema: Json, schemas: Json): Json {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  return (schemas[reference.split('/').at(-1) ?? ''] ?? {}) as Json;
}

function optionsOf(schema: Json): readonly Json[] {
  return (schema['anyOf'] ?? schema['oneOf'] ?? []) as readonly Json[];
}

function typeOf(given: Json, schemas: Json): string {
  const schema = resolve(given, schemas);
  const options = optionsOf(schema);
  if (options.length > 0) return [...new Set(options.map((option) => typeOf(option, schemas)))].join(' or ');
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(', ');
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (schema['type'] === 'array') return `array of ${typeOf((schema['items'] ?? {}) as Json, schemas)}`;
  const type = Array.isArray(schema['type']) ? schema['type'].join(' or ') : textOf(schema['type']);
  const format = textOf(schema['format']);
  return format === '' ? type || 'any' : `${type} (${format})`;
}

function fieldsOf(given: Json, schemas: Json, prefix = '', depth = 0): Field[] {
  const schema = resolve(given, schemas);
  if (depth > MAX_DEPTH) return [];
  if (schema['type'] === 'array') return fieldsOf((schema['items'] ?? {}) as Json, schemas, `${prefix}[]`, depth + 1);
  const object = optionsOf(schema)
    .map((option) => resolve(option, schemas))
    .find(({ properties }) => properties !== undefined);
  const { properties = {}, required = [] } = (object ?? schema) as {
    properties?: Record<string, Json>;
    required?: readonly string[];
  };
  return Object.entries(properties).flatMap(([key, property]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const own: Field = {
      name,
      type: typeOf(property, schemas),
      required: required.includes(key),
      description: textOf(property['description']) || textOf(resolve(property, schemas)['description']),
    };
    return [own, ...fieldsOf(property, schemas, name, depth + 1)];
  });
}

function exampleOf(given: Json, schemas: Json, depth = 0): unknown {
  const schema = resolve(given, schemas);
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  const [option] = optionsOf(schema);
  if (option !== undefined) return exampleOf(option, schemas, depth);
  switch (schema['type']) {
    case 'object': {
      const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
      const required = (schema['required'] ?? []) as readonly string[];
      const shown = properties.filter(([key]) => required.includes(key) && depth <= MAX_DEPTH);
      return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property, schemas, depth + 1)]));
    }
    case 'array':
      return [exampleOf((schema['items'] ?? {}) as Json, schemas, depth + 1)];
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1;
    case 'boolean':
      return true;
    default:
      return schema['format'] === 'uuid' ? '7f1c0f5e-3f0a-4c0d-9f62-2b8f5f3d9a11' : '…';
  }
}

interface Called {
  readonly path: string;
  readonly verb: string;
  readonly access: ApiOperation['access'];
  readonly parameters: readonly Json[];
  readonly body: unknown;
  readonly webUrl: string;
}

const CREDENTIALS: Readonly<Record<ApiOperation['access'], readonly string[]>> = {
  public: [],
  user: ['authorization: Bearer $TOKEN'],
  cron: ['authorization: Bearer $CRON_SECRET'],
  webhook: ['x-hub-signature-256: sha256=$SIGNATURE', 'x-github-event: push', 'x-github-delivery: $DELIVERY'],
};

function curlOf({ path, verb, access, parameters, body, webUrl }: Called): string {
  const query = parameters
    .filter((parameter) => parameter['in'] === 'query' && parameter['required'] === true)
    .map((parameter) => `${textOf(parameter['name'])}=…`)
    .join('&');
  const address = `${webUrl}${path.replace(/\{(\w+)\}/g, '<$1>')}${query === '' ? '' : `?${query}`}`;
  const parts = [
    `curl${verb === 'GET' ? '' : ` -X ${verb}`} "${address}"`,
    ...CREDENTIALS[access].map((header) => `-H "${header}"`),
    ...(body === undefined ? [] : ['-H "content-type: application/json"', `-d '${JSON.stringify(body)}'`]),
  ];
  return `${parts.join(' \\\n  ')}\n`;
}
