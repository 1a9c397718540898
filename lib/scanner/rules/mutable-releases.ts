import { publishesIn } from '#lib/analysis/publishing/publish.ts';
import { placeOf, publishingJobs } from '#lib/analysis/publishing/publishing-jobs.ts';
import { known, knownSettings } from '#lib/facts/facts.ts';
import { stepsOf } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, type RuleContext, yaml } from '../engine/rule.ts';
import { BUILD, SHARED } from '../testing/settings-examples.ts';

type Message = 'mutable' | 'published';

const MUTABLE = { repository: SHARED, releases: { any: true, immutable: false } };

const RELEASE = yaml`
  on: { push: { tags: ['v*'] } }
  jobs:
    release:
      permissions: { contents: write }
      runs-on: ubuntu-latest
      steps: [{ run: gh release create "$GITHUB_REF_NAME" dist/* }]
`;

export const mutableReleases = defineRule({
  id: 'mutable-releases',
  meta: {
    title: 'Published releases can be modified',
    why: 'Anyone with write access can replace the files of a release, or its tag, long after people reviewed it. Later downloads get something else under the same name.',
    attack:
      'With one stolen token the attacker replaces the files of the latest release with malicious ones. The version number stays the same, so nobody looks again.',
    recommendation: 'Enable immutable releases in the repository or organization settings.',
    limits:
      'Releases published before immutability was enabled stay mutable. Other published artifacts, such as packages, are not covered.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-9',
    surface: 'repo-settings',
    rulesets: ['owasp'],
    needs: ['settings'],
    settings: ['repository', 'releases'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/code-security/supply-chain-security/understanding-your-software-supply-chain/immutable-releases',
    ],
    messages: {
      mutable: 'Releases and their files can be modified after publication.',
      published: 'Files that {{job}} publishes as a release can be replaced later, and no attestation covers them.',
    },
  },
  examples: {
    bad: [
      { yaml: BUILD, facts: knownSettings(MUTABLE), settings: ['mutable'] },
      { yaml: RELEASE, facts: knownSettings(MUTABLE), settings: ['published'] },
      {
        yaml: yaml`
          on: { push: { tags: ['v*'] } }
          jobs:
            release:
              permissions: { contents: write, id-token: write, attestations: write }
              runs-on: ubuntu-latest
              steps:
                - uses: actions/attest-build-provenance@v3
                  with: { subject-path: dist/* }
                - run: gh release create "$GITHUB_REF_NAME" dist/*
        `,
        facts: knownSettings(MUTABLE),
        settings: ['mutable'],
      },
    ],
    good: [
      { yaml: RELEASE, facts: knownSettings({ repository: SHARED, releases: { any: true, immutable: true } }) },
      { yaml: RELEASE, facts: knownSettings({ repository: SHARED, releases: { any: false, immutable: false } }) },
    ],
  },
  check: { repository: check },
});

function* check(repository: Repository, { facts }: RuleContext): Generator<Report<Message>> {
  const releases = known(facts, 'releases');
  if (releases?.any !== true || releases.immutable || known(facts, 'repository')?.archived !== false) return;
  const release = publishingJobs(repository).find(({ publish }) => publish.kind === 'release');
  const attests = repository.workflows
    .flatMap((workflow) => [...stepsOf(workflow)])
    .some((step) => publishesIn(step).some(({ kind }) => kind === 'attest' || kind === 'sign'));
  const exposed = release !== undefined && !attests;
  yield {
    message: exposed ? 'published' : 'mutable',
    data: { job: release === undefined ? '' : placeOf(release.job) },
    at: { setting: 'immutable_releases' },
    severity: exposed ? 'MEDIUM' : 'LOW',
  };
}
