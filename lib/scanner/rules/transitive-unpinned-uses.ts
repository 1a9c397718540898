import { remoteCodeOf } from '#lib/analysis/inventory/downloads.ts';
import { imagesOf } from '#lib/analysis/inventory/images.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { distinctUsesIn, nameOf } from '#lib/facts/action-lookups.ts';
import { definitionIn } from '#lib/facts/definitions.ts';
import type { Facts } from '#lib/facts/facts.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Job, jobOf, type Step, stepsOf } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { joinFirst } from '#lib/workflow/text/join-list.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

type Message = 'nested' | 'image' | 'fetches';

const PIN = '1'.repeat(40);
const TOOLED = '2'.repeat(40);
const FETCHING = '3'.repeat(40);
const CLEAN = '4'.repeat(40);

const composite = (steps: string): string => `name: x\ndescription: x\nruns:\n  using: composite\n  steps:\n${steps}`;
const known = (definitions: readonly (readonly [string, string])[]) => ({
  tags: new Map<string, string>(),
  branches: new Map<string, string>(),
  definitions: new Map(definitions),
});

const FACTS: Facts = {
  settings: { missing: 'offline' },
  network: {
    value: {
      actions: new Map([
        [
          'acme/deploy',
          known([
            [`@${PIN}`, composite('    - uses: vendor/upload@v3\n    - uses: actions/cache@v4\n')],
            [`@${TOOLED}`, 'name: x\ndescription: x\nruns:\n  using: docker\n  image: docker://vendor/tool:latest\n'],
            [
              `@${FETCHING}`,
              composite('    - run: curl -sSf https://example.com/install.sh | sh\n      shell: bash\n'),
            ],
            [
              `@${CLEAN}`,
              composite(`    - uses: vendor/upload@${PIN}\n    - uses: ./sub\n    - run: make\n      shell: bash\n`),
            ],
            ['@v1', composite('    - uses: vendor/upload@v3\n')],
            [
              `.github/workflows/build.yml@${PIN}`,
              'on: workflow_call\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: acme/setup@v1\n',
            ],
            [`broken@${PIN}`, '{{'],
          ]),
        ],
      ]),
    },
  },
};

export const transitiveUnpinnedUses = defineRule({
  id: 'transitive-unpinned-uses',
  meta: {
    title: 'Pinned action runs unpinned code',
    why: 'A hash pins only the action’s own files. Whatever those files reference by tag, image or download is resolved again in every run, so the pin covers less than it seems to.',
    attack:
      'The attacker takes over the repository, image or server that the pinned action depends on and changes its contents; every workflow that pins the outer action runs the new code.',
    recommendation:
      'Choose a release of the action that pins its dependencies, or has none. Ask its maintainers to pin them.',
    limits:
      'Needs network access. Looks one level deep, at the definition of the action or reusable workflow at the pinned commit, but not into its JavaScript, its Dockerfile, or what a nested action uses itself. Downloads are detected in scripts of composite actions and reusable workflows.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    needs: ['network', 'definitions'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
      'https://www.paloaltonetworks.com/blog/cloud-security/unpinnable-actions-github-security/',
    ],
    messages: {
      nested: '{{name}} is pinned, but it uses {{nested}}, which is not.',
      image: '{{name}} is pinned, but it runs the image {{nested}}, which is resolved again in every run.',
      fetches: '{{name}} is pinned, but it executes what it downloads from {{nested}}.',
    },
  },
  examples: {
    bad: [
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: nested
                - uses: acme/deploy@1111111111111111111111111111111111111111 # v1.2.0
        `,
      },
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: image
                - uses: acme/deploy@2222222222222222222222222222222222222222
                # expect: fetches
                - uses: acme/deploy@3333333333333333333333333333333333333333
                # Reported once per repository.
                - uses: acme/deploy@3333333333333333333333333333333333333333
            build:
              # expect: nested
              uses: acme/deploy/.github/workflows/build.yml@1111111111111111111111111111111111111111
        `,
      },
    ],
    good: [
      {
        facts: FACTS,
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: acme/deploy@4444444444444444444444444444444444444444
                # Not pinned itself: unpinned-uses reports it.
                - uses: acme/deploy@v1
                - uses: acme/deploy/broken@1111111111111111111111111111111111111111
                - uses: acme/deploy/unread@1111111111111111111111111111111111111111
                - uses: other/tool@1111111111111111111111111111111111111111
        `,
      },
    ],
  },
  check: { repository: check },
});

const MAX_NAMED = 4;
const FIRST_PARTY: ReadonlySet<string> = new Set(['actions', 'github']);

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  for (const { uses, at, reference, known: action } of distinctUsesIn(repository, facts)) {
    const { path, ref, owner } = reference;
    const text = isFullSha(ref) ? action.definitions?.get(`${path}@${ref}`) : undefined;
    if (text === undefined) continue;
    const definition = definitionIn(path, text);
    if (definition === undefined) continue;
    const found = judge(definition, owner.toLowerCase(), at);
    if (found === undefined) continue;
    const { message, severity, named } = found;
    yield {
      message,
      data: { name: nameOf(reference), nested: joinFirst(named, MAX_NAMED) },
      at,
      span: uses.text.span,
      severity,
    };
  }
}

interface Verdict {
  readonly message: Message;
  readonly severity: Severity;
  readonly named: readonly string[];
}

function judge(definition: Definition, owner: string, at: Step | Job): Verdict | undefined {
  const nested = [...usesOf(definition)].flatMap(({ uses: { reference } }) =>
    reference?.kind === 'repository' && !isFullSha(reference.ref) ? [reference] : [],
  );
  const foreign = nested.filter(
    (each) => !FIRST_PARTY.has(each.owner.toLowerCase()) && each.owner.toLowerCase() !== owner,
  );
  const named = (list: typeof nested): string[] => [...new Set(list.map((each) => `${nameOf(each)}@${each.ref}`))];
  if (foreign.length > 0) return { message: 'nested', severity: graded('MEDIUM', at), named: named(foreign) };
  const fetched = [...stepsOf(definition)].flatMap((step) => remoteCodeOf(step));
  if (fetched.length > 0) {
    const urls = [...new Set(fetched.map(({ url }) => url ?? 'a computed address'))];
    return { message: 'fetches', severity: graded('MEDIUM', at), named: urls };
  }
  const images = imagesOf(definition).flatMap((used) =>
    used.images.flatMap(({ digest, text }) => (digest === undefined ? [text] : [])),
  );
  if (images.length > 0) return { message: 'image', severity: 'LOW', named: [...new Set(images)] };
  return nested.length > 0 ? { message: 'nested', severity: 'LOW', named: named(nested) } : undefined;
}

function graded(severity: Severity, at: Step | Job): Severity {
  const job = at.kind === 'job' ? at : jobOf(at);
  if (job === undefined) return severity;
  const { any, mayWrite } = credentialsOf(job);
  return any || mayWrite ? severity : 'LOW';
}
