import { z } from 'zod';
import { PROBLEM_CODES, type ProblemCode } from '#lib/errors.ts';
import { version } from '../../../package.json';
import type { Operation } from '../route/operation.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS } from '../route/problem.ts';
import { type Endpoint, publicEndpoint } from '../route/route.ts';
import { ProblemBody } from '../schemas/common.ts';
import type { getPublicDocument } from '../schemas/documents.ts';
import { areaOf, OPERATIONS } from './operations.ts';

type Json = Record<string, unknown>;

const SECURITY_SCHEMES = {
  user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  cron: { type: 'http', scheme: 'bearer', description: 'The scheduler’s secret' },
  webhook: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: '`sha256=` and the HMAC-SHA256 of the body in lower-case hexadecimal',
  },
} as const;

const REF_PREFIX = '#/components/schemas/';

export function openApiDocument(part: 'public' | 'full', webUrl: string): Json {
  const operations = OPERATIONS.filter(({ access }) => part === 'full' || access === 'public');
  const components = new Components();
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.verb.toLowerCase()] = describe(operation, components);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Chainbreak',
      version,
      description: 'Finds the attack paths in CI workflows and the changes that break them.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: webUrl }],
    paths,
    components: {
      schemas: components.schemas,
      examples: Object.fromEntries(PROBLEM_CODES.map((code) => [code, exampleOf(code)])),
      ...(part === 'full' ? { securitySchemes: SECURITY_SCHEMES } : {}),
    },
  };
}

export function documentEndpoint(operation: typeof getPublicDocument, part: 'public' | 'full'): Endpoint {
  let document: Json | undefined;
  return publicEndpoint(operation, {
    handle: ({ env }) => {
      document ??= openApiDocument(part, env.webUrl);
      return { body: document, headers: { 'cache-control': 'public, max-age=300' } };
    },
  });
}

class Components {
  readonly schemas: Record<string, unknown> = {};

  add(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs, ...rest } = rewriteRefs(z.toJSONSchema(schema, { io })) as Json;
    for (const [id, definition] of Object.entries(($defs ?? {}) as Json)) this.schemas[id] = definition;
    return rest;
  }
}

function rewriteRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewriteRefs);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) =>
      key === '$ref' && typeof child === 'string'
        ? [key, child.replace('#/$defs/', REF_PREFIX)]
        : [key, rewriteRefs(child)],
    ),
  );
}

const EXAMPLE_ID = '7f1c0f5e-3f0a-4c0d-9f62-2b8f5f3d9a11';

const REQUEST_ID = { description: 'Request id, also in the log', schema: { type: 'string' } };

const ETAG = { description: 'Names this state of the reply', schema: { type: 'string' } };

const IF_NONE_MATCH: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier reply',
  schema: { type: 'string' },
};

const DELIVERY_HEADERS: readonly Json[] = ['X-GitHub-Event', 'X-GitHub-Delivery'].map((name) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: '^[\\w.:-]{1,100}$' },
}));

function describe(operation: Operation, components: Components): Json {
  const { id, summary, description, access, params, query, reply, status = 200, answersEtags = false } = operation;
  const parameters = [
    ...parametersOf('path', params, components),
    ...parametersOf('query', query, components),
    ...(access === 'webhook' ? DELIVERY_HEADERS : []),
    ...(answersEtags ? [IF_NONE_MATCH] : []),
  ];
  return {
    operationId: id,
    tags: [areaOf(operation)],
    summary,
    ...(description === undefined ? {} : { description }),
    security: access === 'public' ? [] : [{ [access]: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(operation, components),
    responses: {
      [status]: {
        description: operation.replyDescription,
        headers: { 'X-Request-Id': REQUEST_ID, ...(answersEtags ? { ETag: ETAG } : {}) },
        ...(status === 204
          ? {}
          : { content: { [operation.mediaType ?? 'application/json']: { schema: components.add(reply, 'output') } } }),
      },
      ...(answersEtags
        ? {
            304: {
              description: 'The reply is still the one with the given `ETag`.',
              headers: { 'X-Request-Id': REQUEST_ID, ETag: ETAG },
            },
          }
        : {}),
      ...(operation.also === undefined
        ? {}
        : {
            [operation.also.status]: {
              description: operation.also.replyDescription,
              headers: { 'X-Request-Id': REQUEST_ID },
              content: { 'application/json': { schema: components.add(operation.also.reply, 'output') } },
            },
          }),
      ...problemsOf(operation, components),
    },
  };
}

function requestBodyOf({ access, body }: Operation, components: Components): Json {
  if (body === undefined && access !== 'webhook') return {};
  const schema = body === undefined ? { type: 'object' } : components.add(body, 'input');
  return { requestBody: { required: true, content: { 'application/json': { schema } } } };
}

function parametersOf(place: 'path' | 'query', schema: z.ZodType | undefined, components: Components): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.add(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function problemsOf(operation: Operation, components: Components): Json {
  const codes = new Set<ProblemCode>(operation.errors);
  if (operation.body !== undefined) {
    codes.add('unsupported-media-type').add(operation.oversized ?? 'payload-too-large');
  }
  if (operation.access === 'user') codes.add('unauthenticated').add('rate-limited').add('not-configured');
  codes.add('internal');
  const schema = components.add(ProblemBody, 'output');
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of PROBLEM_CODES.filter((each) => codes.has(each))) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => [
      status,
      {
        description: all.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('; '),
        headers: {
          'X-Request-Id': REQUEST_ID,
          ...(status === 429
            ? { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } } }
            : {}),
        },
        content: {
          [PROBLEM_MEDIA_TYPE]: {
            schema,
            examples: Object.fromEntries(all.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
}

function exampleOf(code: ProblemCode): Json {
  const { status, title, explanation } = PROBLEMS[code];
  const value = { type: `/problems/${code}`, title, status, detail: explanation, code, request_id: EXAMPLE_ID };
  return { summary: title, value };
}
