import { type Release, releasesIn } from '#lib/analysis/publishing/releases.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'absent';

export const missingSbom = defineRule({
  id: 'missing-sbom',
  meta: {
    title: 'Release has no SBOM',
    why: 'A software bill of materials (SBOM) lists the components of a release and their versions. Without one, users cannot tell whether a new vulnerability affects them without taking the release apart.',
    attack:
      'A vulnerability in a component becomes public. Users who do not know that they run it do not update, and stay exposed.',
    recommendation:
      'Generate an SBOM during the build, where the components are known, and publish it with the release: set `sbom: true` in the image build, or use a generator with `actions/attest`.',
    limits:
      'Searches workflows and actions for the usual generators and terms. An SBOM created by a build script, or exported from GitHub on request, is not detected.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: [],
    pedantic: true,
    since: '0.1.0',
    references: [
      'https://www.cisa.gov/sbom',
      'https://docs.github.com/actions/how-tos/secure-your-work/use-artifact-attestations/use-artifact-attestations',
      'https://docs.docker.com/build/metadata/attestations/sbom/',
    ],
    messages: {
      absent: 'No workflow creates an SBOM for what {{publish}} publishes.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                # expect: absent
                - uses: docker/build-push-action@v6
                  with:
                    push: true
                    tags: acme/server:latest
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: { push: { tags: [v*] } }
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - uses: docker/build-push-action@v6
                  with:
                    push: true
                    sbom: true
                    tags: acme/server:latest
        `,
      },
      {
        yaml: yaml`
          on: pull_request
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - run: docker push ghcr.io/acme/preview
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            image:
              runs-on: ubuntu-latest
              steps:
                - run: docker push localhost:5000/acme
                - run: gh release create v1 --generate-notes
        `,
      },
    ],
  },
  check: { repository: check },
});

const BILL = /sbom|bill[- ]of[- ]materials|\bbom\b|cyclonedx|\bspdx|\bsyft\b|cdxgen|tern report/i;

function* check(repository: Repository): Generator<Report<Message>> {
  const { workflows, actions, partial } = repository;
  if (partial) return;
  const first = firstRelease(repository);
  if (first === undefined || [...workflows, ...actions].some(({ source }) => BILL.test(source.text))) return;
  yield { message: 'absent', data: { publish: first.name }, at: first.step, span: first.span, anchor: 'no bill' };
}

function firstRelease(repository: Repository): Release | undefined {
  const releases = repository.workflows.flatMap((workflow) => releasesIn(workflow, repository));
  return releases.find(({ kind }) => kind !== 'package') ?? releases[0];
}
