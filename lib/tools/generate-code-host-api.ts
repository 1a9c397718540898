import { readFileSync, writeFileSync } from 'node:fs';

type Json = { [key: string]: unknown };

const OPERATIONS = [
  'GET /advisories',
  'GET /app',
  'GET /app/hook/deliveries',
  'POST /app/hook/deliveries/{delivery_id}/attempts',
  'GET /app/installations',
  'GET /app/installations/{installation_id}',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
  'GET /orgs/{org}',
  'GET /orgs/{org}/memberships/{username}',
  'GET /rate_limit',
  'GET /repos/{owner}/{repo}',
  'GET /repos/{owner}/{repo}/actions/oidc/customization/sub',
  'GET /repos/{owner}/{repo}/actions/permissions',
  'GET /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval',
  'GET /repos/{owner}/{repo}/actions/permissions/fork-pr-workflows-private-repos',
  'GET /repos/{owner}/{repo}/actions/permissions/selected-actions',
  'GET /repos/{owner}/{repo}/actions/permissions/workflow',
  'GET /repos/{owner}/{repo}/actions/runners',
  'POST /repos/{owner}/{repo}/check-runs',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
  'GET /repos/{owner}/{repo}/commits',
  'GET /repos/{owner}/{repo}/commits/{ref}',
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
  'GET /repos/{owner}/{repo}/compare/{basehead}',
  'GET /repos/{owner}/{repo}/environments',
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
  'GET /repos/{owner}/{repo}/git/matching-refs/{ref}',
  'GET /repos/{owner}/{repo}/git/ref/{ref}',
  'POST /repos/{owner}/{repo}/git/refs',
  'PATCH /repos/{owner}/{repo}/git/refs/{ref}',
  'DELETE /repos/{owner}/{repo}/git/refs/{ref}',
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
  'GET /repos/{owner}/{repo}/hooks',
  'GET /repos/{owner}/{repo}/immutable-releases',
  'GET /repos/{owner}/{repo}/installation',
  'GET /repos/{owner}/{repo}/issues/{issue_number}/labels',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/labels',
  'GET /repos/{owner}/{repo}/keys',
  'GET /repos/{owner}/{repo}/labels',
  'GET /repos/{owner}/{repo}/labels/{name}',
  'GET /repos/{owner}/{repo}/pulls',
  'POST /repos/{owner}/{repo}/pulls',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}',
  'PATCH /repos/{owner}/{repo}/pulls/{pull_number}',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits',
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files',
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
  'GET /repos/{owner}/{repo}/releases',
  'GET /user',
  'GET /user/emails',
  'GET /user/installations',
  'GET /user/installations/{installation_id}/repositories',
  'GET /user/memberships/orgs/{org}',
  'GET /user/{account_id}',
];

const DROPPED = new Set([
  'description',
  'example',
  'examples',
  'title',
  'discriminator',
  'xml',
  'externalDocs',
  'deprecated',
]);

const file = process.argv[2];
if (file === undefined) throw new Error('Give the path of generated/api.github.com.json of @octokit/openapi.');
const spec = JSON.parse(readFileSync(file, 'utf8')) as {
  info: { version: string };
  paths: Record<string, Record<string, Json>>;
  components: Record<string, Record<string, Json>>;
};
const definitions: Record<string, unknown> = {};

const operations = OPERATIONS.map((operation) => {
  const [method = '', path = ''] = operation.split(' ');
  const found = spec.paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`GitHub describes no ${operation}.`);
  const parameters = (found['parameters'] as Json[] | undefined) ?? [];
  const body = resolve(found['requestBody'] as Json | undefined);
  const responses = found['responses'] as Record<string, Json>;
  return {
    method,
    path,
    parameters: parameters.map((parameter) => {
      const { name, in: place, required = false, schema } = resolve(parameter) ?? {};
      return { name, in: place, required, schema: toSchema(schema) };
    }),
    body: body === undefined ? null : { required: body['required'] === true, schema: jsonSchema(body) },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, jsonSchema(resolve(response))]),
    ),
  };
});

const sorted = Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
const source = `@octokit/openapi ${spec.info.version}, MIT License, Copyright (c) 2020 Octokit contributors`;
writeFileSync(
  'lib/simulator/rest-api.generated.json',
  `${JSON.stringify({ source, operations, definitions: sorted })}\n`,
);

function jsonSchema(holder: Json | undefined): unknown {
  const content = holder?.['content'] as Record<string, Json> | undefined;
  const schema = content?.['application/json']?.['schema'];
  return schema === undefined ? null : toSchema(schema);
}

function resolve(value: Json | undefined): Json | undefined {
  const reference = value?.['$ref'];
  if (typeof reference !== 'string') return value;
  const [, , group = '', name = ''] = reference.split('/');
  return spec.components[group]?.[name];
}

function toSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSchema);
  if (value === null || typeof value !== 'object') return value;
  const schema = value as Json;
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.split('/').at(-1) as string;
    if (!(name in definitions)) {
      definitions[name] = true;
      definitions[name] = toSchema(spec.components['schemas']?.[name]);
    }
    return { $ref: `github#/definitions/${name}` };
  }
  const result: Json = {};
  for (const [key, child] of Object.entries(schema)) {
    if (key === 'properties') {
      result[key] = Object.fromEntries(Object.entries(child as Json).map(([name, inner]) => [name, toSchema(inner)]));
    } else if (key === 'enum' || key === 'required' || key === 'default') result[key] = child;
    else if (key !== 'nullable' && !key.startsWith('x-') && !DROPPED.has(key)) result[key] = toSchema(child);
  }
  if (schema['nullable'] !== true) return result;
  if (typeof result['type'] !== 'string') return { anyOf: [result, { type: 'null' }] };
  if (Array.isArray(result['enum'])) result['enum'] = [...new Set([...(result['enum'] as unknown[]), null])];
  return { ...result, type: [result['type'], 'null'] };
}
