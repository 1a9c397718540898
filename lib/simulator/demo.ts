import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { seedActions } from './demo-actions.ts';
import type { FileContent } from './git.ts';
import { APP_PERMISSIONS } from './manifest.ts';
import type { WorkflowSettings } from './model.ts';
import { GUARDED_TAGS, OLD_PROTECTION, OWNED_BRANCH, type SimulatedSettings, UNREVIEWED_BRANCH } from './settings.ts';
import type { World } from './world.ts';

export const DEMO_ORGANIZATIONS = [
  {
    login: 'acme',
    id: 4001,
    name: 'Acme',
    installationId: 6001,
    admin: { id: 5001, login: 'ada', name: 'Ada', email: 'ada@acme.example' },
    member: { id: 5003, login: 'mel', name: 'Mel', email: 'mel@acme.example' },
  },
  {
    login: 'globex',
    id: 4002,
    name: 'Globex',
    installationId: 6002,
    admin: { id: 5002, login: 'grace', name: 'Grace', email: 'grace@globex.example' },
    member: { id: 5004, login: 'noor', name: 'Noor', email: 'noor@globex.example' },
  },
] as const;

const ANY_ACTION = { enabled: true, allowed_actions: 'all', sha_pinning_required: false } as const;

const REPOSITORIES: readonly {
  readonly name: string;
  readonly description: string;
  readonly visibility?: 'private';
  readonly archived?: true;
  readonly formerNames?: readonly string[];
  readonly workflowSettings?: WorkflowSettings;
  readonly settings?: Partial<SimulatedSettings>;
}[] = [
  {
    name: 'acme/storefront',
    description: 'The shop at shop.acme.example',
    formerNames: ['acme/shop'],
    workflowSettings: { defaultPermissions: 'write', canApprovePullRequests: false },
    settings: { rulesets: [GUARDED_TAGS], actions: ANY_ACTION, pushProtection: false },
  },
  {
    name: 'acme/clean',
    description: 'Prices as text; its workflows are how we want them all',
    settings: { rulesets: [OWNED_BRANCH, GUARDED_TAGS] },
  },
  {
    name: 'acme/docs-site',
    description: 'The manual, with a preview of each pull request',
    settings: { rulesets: [], protection: OLD_PROTECTION },
  },
  {
    name: 'acme/build-tools',
    description: 'The command that packs our services',
    settings: {
      rulesets: [OWNED_BRANCH],
      tags: ['v1.2.0', 'v1.1.0', 'v1.0.0'],
      latestRelease: 'v1.2.0',
      immutableReleases: false,
    },
  },
  { name: 'acme/helpdesk', description: 'Where customers report problems' },
  {
    name: 'acme/reports',
    description: 'Size and coverage of each pull request',
    workflowSettings: { defaultPermissions: 'read', canApprovePullRequests: true },
  },
  {
    name: 'acme/payments',
    description: 'Takes the money',
    visibility: 'private',
    settings: {
      environments: [
        { name: 'production', reviewers: 0, preventSelfReview: false, adminsBypass: true, branches: 'all' },
      ],
      hooks: [
        {
          url: 'http://deploy.acme.example/hook',
          active: true,
          secret: false,
          insecure_ssl: '0',
          events: ['push'],
        },
      ],
      deployKeys: [{ title: 'old build machine', readOnly: false, createdAt: '2022-02-01T09:00:00Z' }],
    },
  },
  {
    name: 'globex/firmware',
    description: 'The firmware of our sensors, tested in the lab',
    settings: {
      forkApproval: 'first_time_contributors',
      runners: [{ name: 'lab-1', labels: ['self-hosted', 'lab'] }],
    },
  },
  {
    name: 'globex/assistant',
    description: 'An AI agent reads new issues',
    settings: { rulesets: [{ ...OWNED_BRANCH, name: 'trial', enforcement: 'EVALUATE' }, GUARDED_TAGS] },
  },
  {
    name: 'globex/platform',
    description: 'Shared configuration of our clusters',
    settings: { rulesets: [UNREVIEWED_BRANCH, GUARDED_TAGS] },
  },
  {
    name: 'globex/mobile-app',
    description: 'The app that shows the sensors',
    settings: { vulnerabilityAlerts: false, securityPolicy: false },
  },
  {
    name: 'globex/sensor-sdk',
    description: 'The Python package for our sensors',
    settings: { rulesets: [OWNED_BRANCH], tags: ['v0.9.0'] },
  },
  { name: 'globex/scratch', description: 'Nothing yet' },
];

export async function seedDemo(world: World, folder: string): Promise<void> {
  for (const { login, id, name, installationId, admin, member } of DEMO_ORGANIZATIONS) {
    const organization = world.addAccount({ login, id, name, type: 'Organization' });
    world.addMember(organization, world.addAccount({ ...admin, type: 'User' }), 'admin');
    world.addMember(organization, world.addAccount({ ...member, type: 'User' }), 'member');
    world.addInstallation({ id: installationId, accountId: organization.id, permissions: APP_PERMISSIONS });
  }
  for (const [index, { name, ...options }] of REPOSITORIES.entries()) {
    await world.addRepository({ fullName: name, id: 7001 + index, files: readFiles(join(folder, name)), ...options });
  }
  await seedActions(world);
}

function readFiles(folder: string): Record<string, FileContent> {
  const files: Record<string, FileContent> = {};
  if (!existsSync(folder)) return files;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of entries) {
    const file = join(parentPath, name);
    const path = file.slice(folder.length + 1).replaceAll('\\', '/');
    const text = readFileSync(file, 'utf8');
    files[path] = name.endsWith('.sh') || (statSync(file).mode & 0o100) !== 0 ? { executable: text } : text;
  }
  return files;
}
