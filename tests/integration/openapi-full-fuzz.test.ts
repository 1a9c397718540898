import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '#lib/http/openapi/document.ts';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';
import {
  type Company,
  type ConnectedService,
  sloppyFiles,
  startConnectedService,
} from '../support/connected-service.ts';
import { type Document, describedBy } from '../support/described.ts';
import { effort } from '../support/effort.ts';
import type { OperationName, TestUser } from '../support/service.ts';

const EFFORT = effort(25, 60);
const CALLS_OF_A_USER = 100;

let service: ConnectedService;
let acme: Company;
let known: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  service = await startConnectedService({}, { ownDatabase: true });
  acme = await service.company('acme');
  await service.host.addRepository({ fullName: 'acme/shop', files: sloppyFiles() });
  const repo = (await service.connect(acme)).get('acme/shop') ?? '';
  await service.call('POST /api/scan', { as: acme.admin, body: { repo_id: repo } });
  const { json: team } = await service.call('POST /api/orgs', { as: acme.admin, body: { name: 'Team' } });
  const campaign = await service.call('POST /api/campaigns', {
    as: acme.admin,
    body: { ruleset: 'all', repo_ids: [repo] },
  });
  const fingerprints = await service.database.sql<{ fingerprint: string }>(
    'select fingerprint from public.finding_ledger',
  );
  const orgs = await service.database.sql<{ id: string }>('select id from public.organizations');
  known = {
    repo_id: [repo],
    repository_id: [repo],
    repo_ids: [repo],
    campaign_id: [(campaign.json['campaign'] as { id: string }).id],
    org_id: [String(team['id']), ...orgs.map(({ id }) => id)],
    org: orgs.map(({ id }) => id),
    user_id: [acme.admin.id],
    fingerprint: fingerprints.map(({ fingerprint }) => fingerprint),
    rule_id: ['template-injection', 'missing-timeout'],
    installation_id: [String(acme.installation.id)],
    status: ['open', 'dismissed', 'accepted', 'snoozed'],
    expires_at: [new Date(Date.now() + 86_400_000).toISOString()],
    value: ['enabled', 'disabled', 'inherit'],
    role: ['admin', 'member'],
    fail_on: ['high', 'never'],
    email: ['Somebody@example.com', 'somebody@EXAMPLE.com'],
    slack_webhook_url: ['https://hooks.slack.com/services/T000/B000/abcdefghijklmnopqrstuvwx'],
  };
});
afterAll(() => service?.stop());

const document = openApiDocument('full', 'https://example.com') as unknown as Document;
const assertDescribed = describedBy(document);

const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '..',
    '%00',
    '\0',
    '\uD800',
    'a'.repeat(2_100),
    '00000000-0000-4000-8000-000000000000',
    '1',
    'null',
  ),
);

function valueOf(name: string): fc.Arbitrary<unknown> {
  const values = known[name] ?? [];
  if (values.length === 0) return fc.oneof(junk, fc.jsonValue(), fc.boolean());
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...values) },
    { weight: 1, arbitrary: fc.oneof(junk, fc.jsonValue()) },
  );
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function bodyOf(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    return bodyOf(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name);
  }
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(([key, field]): [string, fc.Arbitrary<unknown>] => [
      key,
      fc.oneof({ weight: 5, arbitrary: bodyOf(field, key) }, { weight: 1, arbitrary: fc.jsonValue() }),
    ]);
    const all = fc.record(Object.fromEntries(fields));
    return fc.oneof(
      { weight: 6, arbitrary: all },
      fc.record(Object.fromEntries(fields), { requiredKeys: [] }),
      fc.jsonValue(),
    );
  }
  if (schema.items !== undefined) return fc.array(bodyOf(schema.items), { maxLength: 4 });
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.type === 'boolean') return fc.boolean();
  return valueOf(name);
}

let calls = 0;
let caller: TestUser;
async function someone(): Promise<TestUser> {
  if (calls % CALLS_OF_A_USER === 0) {
    caller = service.user();
    if (calls % (3 * CALLS_OF_A_USER) !== 0) {
      await service.database.sql(
        `insert into public.org_members (org_id, user_id, role) select id, $1, 'admin' from public.organizations`,
        [caller.id],
      );
    }
  }
  calls += 1;
  return caller;
}

describe('every answer to whatever a signed-in user sends is one that /openapi.full.json describes', () => {
  const operations = OPERATIONS.filter(({ access }) => access === 'user');

  it.each(operations.map(({ verb, path }) => `${verb} ${path}` as OperationName))('%s', async (operation) => {
    const [verb = '', path = ''] = operation.split(' ');
    const described = document.paths[path]?.[verb.toLowerCase()];
    const inPlace = (place: string) =>
      fc.record(
        Object.fromEntries(
          (described?.parameters ?? [])
            .filter((parameter) => parameter.in === place)
            .map(({ name }) => [name, valueOf(name)]),
        ),
        place === 'query' ? { requiredKeys: [] } : {},
      );
    const schema = described?.requestBody?.content['application/json']?.schema;
    const given = fc.record({
      params: inPlace('path'),
      query: inPlace('query'),
      body: schema === undefined ? fc.constant(undefined) : bodyOf(schema as Schema),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ params, query, body }) => {
        const text = (values: object) =>
          Object.fromEntries(
            Object.entries(values).map(([key, value]) => [
              key,
              (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed(),
            ]),
          );
        const answer = await service.call(operation, {
          as: await someone(),
          params: text(params),
          query: `?${new URLSearchParams(text(query)).toString()}`,
          ...(body === undefined ? {} : { body }),
        });
        assertDescribed(path, verb.toLowerCase(), answer);
      }),
      EFFORT,
    );
  });

  it('no organization lost its last admin', async () => {
    expect(calls).toBeGreaterThanOrEqual(operations.length * EFFORT.numRuns);
    const orphans = await service.database.sql(
      `select id from public.organizations o
       where not exists (select from public.org_members m where m.org_id = o.id and m.role = 'admin')`,
    );
    expect(orphans).toEqual([]);
  });
});
