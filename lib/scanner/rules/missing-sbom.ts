import { type Release, releasesIn } from '#lib/analysis/publishing/releases.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'absent';

export const missingSbom = defineRule({
  id: 'missing-sbom',
  meta: {
    title: 'Releases come without a list of what is in them',
    why: 'A software bill of materials says which components a release holds, in which version. Without one, whoever uses the release cannot tell whether a new vulnerability concerns them, except by taking it apart.',
    attack:
      'A weakness in a component becomes known. Users who do not know that they have it do not update, and stay open to attacks.',
    recommendation:
      'Generate a list in the build, where the components are known, and hand it out with the release: with `sbom: true` of the image build, or with a generator and `actions/attest`.',
    limits:
      'Looks for the usual generators and words in workflows and actions. A list that a build script makes, or one that the code host exports on request, is not seen.',
    severity: 'INFO',
    confidence: 'medium',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: [],
    since: '0.1.0',
    references: [
      'https://www.cisa.gov/sbom',
      'https://docs.github.com/actions/how-tos/secure-your-work/use-artifact-attestations/use-artifact-attestations',
      'https://docs.docker.com/build/metadata/attestations/sbom/',
    ],
    messages: {
      absent: 'Nothing in the workflows makes a bill of materials for what {{publish}} publishes.',
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

/** Once for a repository: where one release has a list, somebody has thought about the others. */
function* check(repository: Repository): Generator<Report<Message>> {
  const { workflows, actions, partial } = repository;
  if (partial) return;
  const first = firstRelease(repository);
  if (first === undefined || [...workflows, ...actions].some(({ source }) => BILL.test(source.text))) return;
  yield { message: 'absent', data: { publish: first.name }, at: first.step, span: first.span, anchor: 'no bill' };
}

/** Images and files of releases first: a registry's package names what it depends on by itself. */
function firstRelease(repository: Repository): Release | undefined {
  const releases = repository.workflows.flatMap((workflow) => releasesIn(workflow, repository));
  return releases.find(({ kind }) => kind !== 'package') ?? releases[0];
}
