import type { Workflow } from '../../workflow/model.ts';
import { stepsOf } from '../../workflow/model.ts';
import { publishesIn } from '../../workflow/publish.ts';
import type { Facts } from '../facts.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../rule.ts';

const PATH = '.github/workflows/example.yml';
const FACTS: Facts = {
  network: { missing: 'offline' },
  settings: { missing: 'offline' },
  published: {
    value: new Map([
      [
        PATH,
        [
          { registry: 'npm', name: '@acme/tool', version: '2.1.0', provenance: false },
          { registry: 'npm', name: '@acme/core', version: '2.1.0', provenance: true },
        ],
      ],
    ]),
  },
};

export const publishedVersionMissingProvenance = defineRule({
  id: 'published-version-missing-provenance',
  meta: {
    title: 'Published package shows no provenance',
    why: 'Provenance is the registry’s signed record of which workflow, at which commit, built a package. Without it nobody can tell a release of the pipeline from one that was uploaded with a stolen token.',
    attack:
      'Somebody with a stolen publishing token uploads a version from their own machine; it looks like every other version of the package.',
    recommendation:
      'Publish with the registry’s trusted publishing, which attaches provenance, or ask for it when publishing (npm publish --provenance).',
    limits:
      'Needs what the registry shows of the newest version. A version that was published by hand counts like one of the workflow. Only npm and PyPI are known.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['owasp', 'slsa-build-l1'],
    needs: ['published'],
    since: '0.1.0',
    references: [
      'https://docs.npmjs.com/generating-provenance-statements',
      'https://docs.pypi.org/attestations/',
      'https://slsa.dev/spec/v1.2/build-track-basics',
    ],
    messages: { missing: '{{name}} {{version}} has no provenance on {{registry}}.' },
  },
  examples: {
    bad: [
      {
        facts: FACTS,
        yaml: yaml`
          on:
            release: { types: [published] }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                # expect: missing
                - run: npm publish
        `,
      },
    ],
    good: [
      {
        facts: { ...FACTS, published: { value: new Map() } },
        yaml: yaml`
          on:
            release: { types: [published] }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm publish --provenance
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { facts }: RuleContext): Generator<Report<'missing'>> {
  const published = facts.published !== undefined && 'value' in facts.published ? facts.published.value : undefined;
  const versions = published?.get(workflow.source.path) ?? [];
  if (versions.length === 0) return;
  for (const step of stepsOf(workflow)) {
    const publish = publishesIn(step).find(({ kind }) => kind === 'package');
    if (publish === undefined) continue;
    for (const { name, version, registry, provenance } of versions) {
      if (provenance) continue;
      yield { message: 'missing', data: { name, version, registry }, at: step, span: publish.span, anchor: name };
    }
    // Which of several steps published it, nobody says.
    return;
  }
}
