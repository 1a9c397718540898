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
    title: 'Published package shows no provenance',
    why: 'Provenance is the registry’s signed record of which workflow, at which commit, built a package. Without it nobody can tell a release of the pipeline from one that was uploaded with a stolen token.',
    attack:
      'Somebody with a stolen publishing token uploads a version from their own machine; it looks like every other version of the package.',
    recommendation:
      'Publish with the registry’s trusted publishing, which attaches provenance, or ask for it when publishing (npm publish --provenance).',
    limits:
      'Only npm and PyPI are asked: by the command line with --online, and by the service for connected repositories that are public, except for workspaces. Elsewhere the rule is named as not assessed. Packages are looked for whose names these files tell for certain, and one whose page at the registry names other repositories is left out. Only the newest version counts (npm’s latest, the final release that PyPI got last), and a version that was published by hand counts like one of the workflow. Whether the attestation is valid is not checked. npm attaches provenance for public repositories alone.',
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
        // Whose package it is, nobody says.
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
        // A fork carries the name of a package that is not its own.
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
    // Which of several steps published it, nobody says.
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

/** Whether a package comes from this repository, as its registry says; undefined when nobody can tell. */
function isOwn(sources: ReadonlySet<string>, { fullName, owners }: Repository): boolean | undefined {
  if (sources.size === 0) return undefined;
  if (fullName !== undefined) return sources.has(fullName);
  return owners.size === 0 ? undefined : [...sources].some((source) => owners.has(source.split('/')[0] ?? ''));
}
