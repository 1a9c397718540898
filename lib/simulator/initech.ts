import { APP_PERMISSIONS } from './manifest.ts';
import type { NewRepository } from './model.ts';
import { GUARDED_TAGS } from './settings.ts';
import type { World } from './world.ts';

export const INITECH = {
  login: 'initech',
  id: 4003,
  name: 'Initech',
  installationId: 6003,
  admin: { id: 5005, login: 'bill', name: 'Bill', email: 'bill@initech.example' },
  member: { id: 5006, login: 'joanna', name: 'Joanna', email: 'joanna@initech.example' },
} as const;

const SUBJECTS = [
  'billing',
  'cover-sheet',
  'fax',
  'ledger',
  'mailroom',
  'payroll',
  'printer',
  'reports',
  'stapler',
  'timesheet',
];
const KINDS = ['api', 'web', 'worker', 'tools'];
const WORKFLOWS = '.github/workflows';
const CHECKOUT = 'actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2';
const LONG_WORD = 'Tätigkeitsberichtsdeckblattvorlage'.repeat(4);
const RIGHT_TO_LEFT = '\u202e';

const CI = `name: CI
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: ${CHECKOUT}
      - run: make test
`;

const TRIAGE = `name: Triage
on:
  issues:
    types: [opened]
jobs:
  triage:
    runs-on: ubuntu-24.04
    permissions:
      issues: write
    steps:
      - run: ./triage.sh "\${{ github.event.issue.title }}"
        env:
          GH_TOKEN: \${{ github.token }}
`;

const RELEASE = `name: Release
on:
  push:
    branches: [main]
jobs:
  release:
    runs-on: ubuntu-24.04
    steps:
      - uses: ${CHECKOUT}
      - run: echo "\${{ github.event.head_commit.message }}" >> notes.md
      - run: make release
        env:
          TOKEN: \${{ secrets.RELEASE_TOKEN }}
`;

const DEPLOY = `name: Deploy
on:
  workflow_dispatch:
    inputs:
      version:
        required: true
permissions: write-all
jobs:
  deploy:
    runs-on: ubuntu-24.04
    steps:
      - uses: ${CHECKOUT}
      - run: ./deploy.sh \${{ inputs.version }}
`;

const SAFE = `name: CI
on: [push, pull_request]
permissions: {}
jobs:
  test:
    runs-on: ubuntu-24.04
    permissions:
      contents: read
    timeout-minutes: 10
    steps:
      - uses: ${CHECKOUT}
        with:
          persist-credentials: false
      - run: make test
`;

const HOSTILE = CI.replace(
  'name: CI',
  `name: '<img src=x onerror=alert(1)> ${RIGHT_TO_LEFT}gnp.exe ${LONG_WORD}'`,
).replace('  test:\n', `  test:\n    name: '<script>alert(1)</script> ${RIGHT_TO_LEFT}txt ${LONG_WORD}'\n`);

const OTHERS = { 'triage.yml': TRIAGE, 'release.yml': RELEASE, 'deploy.yml': DEPLOY } as const;

export async function seedInitech(world: World): Promise<void> {
  const { login, id, name, installationId, admin, member } = INITECH;
  if (world.installations.some((each) => each.id === installationId)) return;
  const organization = world.addAccount({ login, id, name, type: 'Organization' });
  world.addMember(organization, world.addAccount({ ...admin, type: 'User' }), 'admin');
  world.addMember(organization, world.addAccount({ ...member, type: 'User' }), 'member');
  const repositories = await world.addRepositories(initechRepositories());
  world.addInstallation({
    id: installationId,
    accountId: organization.id,
    permissions: APP_PERMISSIONS,
    repositoryIds: repositories.map((repository) => repository.id),
  });
}

export function initechRepositories(): NewRepository[] {
  return SUBJECTS.flatMap((subject, row) =>
    KINDS.map((kind, column) => repositoryOf(`${subject}-${kind}`, row * KINDS.length + column)),
  );
}

function repositoryOf(name: string, index: number): NewRepository {
  const common = {
    fullName: `initech/${name}`,
    id: 9001 + index,
    description: `The ${name.replaceAll('-', ' ')} of Initech`,
    labels: index % 2 === 0 ? ['security'] : [],
    settings: { rulesets: [GUARDED_TAGS] },
  };
  const readme = { 'README.md': `# ${name}\n` };
  switch (index) {
    case 3:
      return { ...common, archived: true, files: { ...readme, [`${WORKFLOWS}/ci.yml`]: CI } };
    case 7:
      return { ...common, description: 'Not a line of automation', files: readme };
    case 11:
      return {
        ...common,
        description: `<b>Fax</b> ${RIGHT_TO_LEFT}xaf ${LONG_WORD}`,
        files: {
          ...readme,
          [`${WORKFLOWS}/<b>${RIGHT_TO_LEFT}ci-${LONG_WORD.slice(0, 100)}.yml`]: HOSTILE,
          [`${WORKFLOWS}/triage.yml`]: TRIAGE,
        },
      };
    default: {
      const isPrivate = index === 15 || index === 16;
      const files: Record<string, string> = { ...readme, [`${WORKFLOWS}/ci.yml`]: index % 13 === 0 ? SAFE : CI };
      for (const [at, [file, text]] of Object.entries(OTHERS).entries()) {
        if (index % (at + 2) === 0) files[`${WORKFLOWS}/${file}`] = text;
      }
      return { ...common, visibility: isPrivate ? 'private' : 'public', files };
    }
  }
}
