import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDatabase as startEmbedded } from '#lib/embedded/database.ts';
import { request } from '../../support/attempts.ts';
import { READABLE_TABLES, startTenants, type Tenants } from '../../support/tenants.ts';

const PROMISED: Readonly<Record<string, string>> = {
  organizations: 'id name personal created_by created_at pr_gate_fail_on pr_gate_new_only',
  org_members: 'org_id user_id email role joined_at',
  installations: 'id org_id user_id installation_id account account_type created_at removed_at suspended_at',
  repositories:
    'id org_id user_id installation_id scm_id full_name private html_url default_branch archived monitored monitored_by removed_at last_scan_id created_at updated_at',
  scans:
    'id repo_id org_id user_id trigger ruleset commit_sha workflow_files high medium low info findings new_findings suppressed started_at finished_at not_assessed diagnostics',
  findings:
    'id scan_id repo_id org_id fingerprint rule_id severity confidence category title file line column end_line end_column snippet description recommendation fixable',
  finding_ledger:
    'repo_id org_id fingerprint rule_id status reason expires_at first_seen_at first_scan_id last_seen_at last_scan_id resolved_at updated_by updated_at severity severity_rank confidence category title file line fixable present returned_at',
  current_findings:
    'repo_id org_id full_name private fingerprint rule_id severity severity_rank confidence category title file line fixable status reason expires_at first_seen_at first_scan_id last_seen_at last_scan_id returned_at updated_by updated_at',
  repository_overview:
    'id org_id installation_id full_name private html_url default_branch archived monitored monitored_by created_at updated_at suspended_at last_scan_id trigger ruleset commit_sha workflow_files high medium low info findings new_findings suppressed not_assessed diagnostics started_at finished_at',
  triage_events: 'id repo_id org_id fingerprint from_status to_status reason expires_at actor created_at',
  rule_settings: 'org_id rule_id enabled updated_by updated_at',
  rule_events: 'id org_id repo_id rule_id from_value to_value actor created_at',
  rule_overrides: 'org_id repo_id rule_id enabled updated_by updated_at',
  notification_settings: 'user_id slack_webhook_url enabled updated_at',
  fix_pull_requests:
    'id org_id repo_id campaign_id file number url branch rule_ids fingerprints state opened_at closed_at merged_at verified_at',
  campaigns: 'id org_id ruleset status created_by created_at updated_at',
  campaign_repos: 'repo_id status prs_opened error started_at finished_at',
};

let tenants: Tenants;

beforeAll(async () => {
  tenants = await startTenants();
});

afterAll(() => tenants?.database.stop());

describe('besides its rows the database exposes', () => {
  it.each(['_system/config', '_system/info', '_system/introspect', 'graphql/v1', 'storage/v1/bucket', 'pg/query', ''])(
    'nothing at /%s, not even to the service',
    async (path) => {
      for (const actor of tenants.actors) {
        const answer = await request(tenants, actor, { path: `/${path}` }, () => null).send();
        expect(answer.status).toBe(404);
        expect(answer.text.length).toBeLessThan(300);
      }
    },
  );

  it('no way around that list', async () => {
    for (const path of ['/rest/v1/../../_system/config', '/rest/v1/%2e%2e/%2e%2e/_system/config', '//_system/config']) {
      const answer = await fetch(`${tenants.database.url}${path}`);
      expect([404, 401]).toContain(answer.status);
      expect(await answer.text()).not.toContain('schemas');
    }
  });

  it('its description to the service only', async () => {
    for (const actor of tenants.actors) {
      for (const accept of ['application/json', 'application/openapi+json']) {
        const answer = await request(tenants, actor, { path: '/rest/v1/', headers: { accept } }, () => null).send();
        expect([actor.name, answer.status === 200]).toEqual([actor.name, actor.sees === 'all']);
        if (actor.sees !== 'all') for (const table of READABLE_TABLES) expect(answer.text).not.toContain(table);
      }
    }
  });

  it('the accounts and sessions to nobody', async () => {
    for (const actor of tenants.actors) {
      for (const path of ['/auth/v1/admin/users', '/rest/v1/users', '/rest/v1/auth.users', '/rest/v1/identities']) {
        const answer = await request(tenants, actor, { path }, () => null).send();
        expect(answer.status, `${actor.name} ${path}`).toBeGreaterThanOrEqual(400);
      }
    }
  });
});

describe('a member reads by their names the columns of', () => {
  it.each(Object.entries(PROMISED))('%s', async (table, columns) => {
    const member = tenants.actors.find(({ name }) => name === "alpha's member");
    const select = columns.replaceAll(' ', ',');
    const answer = await fetch(`${tenants.database.url}/rest/v1/${table}?select=${select}&limit=1`, {
      headers: member?.headers ?? {},
    });
    expect(answer.status).toBe(200);
    const [row] = (await answer.json()) as Record<string, unknown>[];
    expect(Object.keys(row ?? {}).sort()).toEqual(columns.split(' ').sort());
  });
});

describe('its configuration', () => {
  it('is not exposed, including its secrets', async () => {
    const keys = { publishableKey: 'sb_publishable_x', secretKey: 'sb_secret_x', jwtSecret: 'of-the-tokens'.repeat(4) };
    const codeHost = { webUrl: 'http://127.0.0.1:1', clientId: 'id', clientSecret: 'of-the-client' };
    const database = await startEmbedded({ store: 'memory', ...keys, codeHost });
    try {
      for (const path of ['_system/config', '_system/info', 'auth/v1/settings', 'auth/v1/authorize?provider=github']) {
        const headers = { apikey: keys.publishableKey };
        const answer = await fetch(`${database.url}/${path}`, { headers, redirect: 'manual' });
        const text = `${[...answer.headers.values()].join(' ')} ${await answer.text()}`;
        expect(text).not.toMatch(/of-the-(tokens|client)|sb_secret/);
      }
    } finally {
      await database.stop();
    }
  });
});
