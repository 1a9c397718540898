import { packagesPublishedIn } from '#lib/analysis/publishing/published-packages.ts';
import { type Facts, NO_FACTS, type PublishedVersion } from '#lib/facts/facts.ts';
import type { Workflow } from '#lib/workflow/model/model.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';

const PATH = '.github/workflows/example.yml';

function shown(...versions: readonly PublishedVersion[]): Facts {
  return { ...NO_FACTS, published: { value: { versions: new Map([[PATH, versions]]) } } };
}

const NPM = { registry: 'npm', version: '2.1.0', provenance: false, sources: new Set(['acme/tool']) } as const;
const PYPI = { ...NPM, registry: 'PyPI' } as const;

export const publishedVersionMissingProvenance = defineRule({
  id: 'published-version-missing-provenance',
  meta: {
    title: 'Published package has no provenance',
    why: 'Provenance is a signed record at the registry of which workflow built a package, and from which commit. Without it, nobody can tell a release of the pipeline from one uploaded with a stolen token.',
    attack:
      'An attacker with a stolen publishing token uploads a version from their own machine; it looks like every other version of the package.',
    recommendation:
      'Publish through the registry’s trusted publishing, which attaches provenance, or request it explicitly (`npm publish --provenance`).',
    limits:
      'Only npm and PyPI are queried: by the command line with `--online`, and by the service for connected public repositories, except for workspaces. Otherwise the rule counts as not assessed. Only packages whose names are certain from the files are looked up, and packages whose registry page links to another repository are skipped. Only the newest version is checked (npm’s `latest`, or PyPI’s most recently uploaded final release), even if it was published by hand. The attestation itself is not verified. npm attaches provenance only for public repositories.',
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
        repository: 'acme/tool',
        facts: shown({ ...NPM, name: '@acme/tool' }, { ...NPM, name: '@acme/core', provenance: true }),
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
      {
        repository: 'acme/tool',
        facts: shown({ ...PYPI, name: 'acme-tool' }, { ...NPM, name: '@acme/tool', provenance: true }),
        yaml: yaml`
          on:
            release: { types: [published] }
          jobs:
            crate:
              runs-on: ubuntu-latest
              steps:
                - run: cargo publish
                - run: npm publish --provenance
            python:
              runs-on: ubuntu-latest
              steps:
                # expect: missing
                - uses: pypa/gh-action-pypi-publish@release/v1
                  with:
                    attestations: false
        `,
      },
      {
        facts: shown({ ...NPM, name: '@acme/tool', sources: new Set() }),
        yaml: yaml`
          on:
            release: { types: [published] }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                # expect: missing
                - run: npm publish
        `,
      },
    ],
    good: [
      {
        repository: 'acme/tool',
        facts: shown({ ...NPM, name: '@acme/tool', provenance: true }),
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
      {
        repository: 'somebody/tool',
        facts: shown({ ...NPM, name: '@acme/tool' }),
        yaml: yaml`
          on:
            release: { types: [published] }
          jobs:
            publish:
              runs-on: ubuntu-latest
              steps:
                - run: npm publish
        `,
      },
    ],
  },
  check: { workflow: check },
});

function* check(workflow: Workflow, { facts, repository }: RuleContext): Generator<Report<'missing'>> {
  const published = facts.published !== undefined && 'value' in facts.published ? facts.published.value : undefined;
  const versions = (published?.versions.get(workflow.source.path) ?? []).filter(({ provenance }) => !provenance);
  if (versions.length === 0) return;
  const publishing = stepsOf(workflow).flatMap(packagesPublishedIn);
  for (const { name, version, registry, sources } of versions) {
    const own = isOwn(sources, repository);
    // Unknown which of several steps published it.
    const first = publishing.find((each) => each.registry === registry)?.publish;
    if (first === undefined || own === false) continue;
    yield {
      message: 'missing',
      data: { name, version, registry },
      at: first.step,
      span: first.span,
      anchor: name,
      confidence: own === true ? 'high' : 'medium',
    };
  }
}

function isOwn(sources: ReadonlySet<string>, { fullName, owners }: Repository): boolean | undefined {
  if (sources.size === 0) return undefined;
  if (fullName !== undefined) return sources.has(fullName);
  return owners.size === 0 ? undefined : [...sources].some((source) => owners.has(source.split('/')[0] ?? ''));
}
