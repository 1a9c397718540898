import { losesOnlyTo } from '#lib/analysis/impact/vendors-keys.ts';
import { imagesOf, isLocalImage, type UsedImage } from '#lib/analysis/inventory/images.ts';
import { credentialsOf, namesKey } from '#lib/analysis/privileges/job-credentials.ts';
import { tokenPermissions } from '#lib/analysis/privileges/permissions.ts';
import { opensLittle, opensOnly, secretNamesIn } from '#lib/analysis/privileges/secret-names.ts';
import { writesMoreThanTalk } from '#lib/analysis/privileges/worthy-writes.ts';
import { identityUse } from '#lib/analysis/publishing/identity-use.ts';
import { startsOf } from '#lib/analysis/reachability/callers.ts';
import { runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import { type Facts, NO_FACTS, type NotAssessedReason, type Source } from '#lib/facts/facts.ts';
import { type Definition, jobOf, type Text } from '#lib/workflow/model/model.ts';
import type { ImageReference } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

const OFFICIAL = /^(?:(?:docker\.io\/|index\.docker\.io\/)?library\/)?[\w.-]+$/;

const ROLES: Readonly<Record<UsedImage['role'], string>> = {
  container: 'the job’s container',
  service: 'a service of the job',
  step: 'a step',
  action: 'this action',
  script: 'a script',
};

type Message = 'moving' | 'tag';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const LOOKED_UP: Facts = {
  ...NO_FACTS,
  images: {
    value: new Map(['postgres:17', 'acme/lint', 'ghcr.io/acme/tool:1'].map((image) => [image, { value: DIGEST }])),
  },
};

export const unpinnedImages = defineRule({
  id: 'unpinned-images',
  meta: {
    title: 'Container image not pinned to a digest',
    why: 'An image tag can be overwritten with other content at any time, and the next run uses it. Only a digest always identifies the same image.',
    attack:
      'An attacker who takes over the image publisher’s registry account pushes a modified image under the same tag. Jobs that run in it, or next to it, expose their sources and credentials.',
    recommendation:
      'Add the digest after the tag: `image: postgres:17.2@sha256:<64 hex digits>`. Renovate updates both; Dependabot does not update images in workflows.',
    limits:
      'Base images in Dockerfiles are not checked, nor are computed images unless the expression chooses among literal names and matrix values. In scripts, only literal names passed to docker, podman or nerdctl are detected; images that the same file builds or tags are not reported. Services, images of the own account, images that a script only pulls or starts without files and variables, and those of jobs with nothing to lose are LOW: a job has nothing to lose without a key of worth, an identity in use or declared write access beyond conversations, if at most pull requests and members’ runs get the default token.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use',
      'https://docs.docker.com/reference/cli/docker/image/pull/',
    ],
    messages: {
      moving: '{{image}}, used by {{role}}, resolves to whatever was pushed last.',
      tag: '{{image}}, used by {{role}}, can be overwritten under the same tag.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              strategy:
                matrix:
                  image: [ghcr.io/acme/builder:2.1, ghcr.io/acme/builder]
                  php: [{ tag: '8.3' }]
              # expect: moving
              container: \${{ matrix.image }}
              services:
                db:
                  # expect: tag
                  image: postgres:17
                cache: { image: redis@sha256:0123456789012345678901234567890123456789012345678901234567890123 }
                web:
                  # expect: tag
                  image: php:\${{ matrix.php.tag }}-fpm
              steps:
                # expect: moving MEDIUM
                - uses: docker://acme/lint:latest
                # expect: tag
                - uses: docker://registry.example.com:5000/acme/lint:v3
                - run: |
                    # expect: moving
                    docker run --rm -it -v "$PWD:/src" --network host acme/tool check
                    # expect: tag
                    sudo docker pull acme/tool:1.0
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            test:
              runs-on: ubuntu-latest
              # expect: moving LOW
              container: acme/builder
              steps: [{ run: make test }]
            publish:
              runs-on: ubuntu-latest
              # expect: moving MEDIUM
              container: acme/builder
              services:
                db:
                  # expect: moving LOW
                  image: acme/db
              steps:
                - run: make publish
                  env:
                    TOKEN: \${{ secrets.PUBLISH_TOKEN }}
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Lint
            description: Lints
            runs:
              using: docker
              # expect: tag
              image: docker://acme/lint:v3
          `,
        },
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            talks:
              runs-on: ubuntu-latest
              permissions: { pull-requests: write, checks: write }
              steps:
                # expect: moving LOW
                - uses: docker://ghcr.io/other/scanner:latest
                  env: { HOOK: "\${{ secrets.SLACK_WEBHOOK_URL }}" }
            pushes:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              steps:
                # expect: moving MEDIUM
                - uses: docker://ghcr.io/other/scanner:latest
            signs-in:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                # expect: moving MEDIUM
                - uses: docker://ghcr.io/other/scanner:latest
                - uses: aws-actions/configure-aws-credentials@v4
                  with: { role-to-assume: "arn:aws:iam::478215936021:role/deploy" }
            scan:
              runs-on: ubuntu-latest
              steps:
                # expect: moving LOW
                - uses: docker://ghcr.io/acme/scanner:latest
                # expect: moving MEDIUM
                - uses: docker://ghcr.io/other/scanner:latest
        `,
      },
      {
        yaml: {
          '.github/workflows/check.yml': yaml`
            on: [pull_request, workflow_dispatch, merge_group]
            jobs:
              labels:
                runs-on: ubuntu-latest
                steps:
                  # expect: moving LOW
                  - uses: docker://other/labels:latest
          `,
          '.github/workflows/target.yml': yaml`
            on: [pull_request_target, workflow_dispatch]
            jobs:
              labels:
                runs-on: ubuntu-latest
                steps:
                  # expect: moving MEDIUM
                  - uses: docker://other/labels:latest
          `,
          '.github/workflows/called.yml': yaml`
            on: workflow_call
            jobs:
              labels:
                runs-on: ubuntu-latest
                steps:
                  # expect: moving LOW
                  - uses: docker://other/labels:latest
          `,
          '.github/workflows/calls.yml': yaml`
            on: pull_request
            jobs:
              call: { uses: ./.github/workflows/called.yml }
          `,
        },
      },
      {
        repository: 'acme-labs/app',
        yaml: yaml`
          on: push
          jobs:
            scan:
              runs-on: ubuntu-latest
              steps:
                # expect: moving LOW
                - uses: docker://acmelabs/scanner:latest
                # expect: moving MEDIUM
                - uses: docker://acmelabstools/scanner:latest
        `,
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            official:
              runs-on: ubuntu-latest
              # expect: moving LOW
              container: golang
              steps: [{ run: go vet ./... }]
            official-with-a-key:
              runs-on: ubuntu-latest
              # expect: moving MEDIUM
              container: golang
              steps: [{ run: make deploy, env: { KEY: "\${{ secrets.DEPLOY_KEY }}" } }]
            official-that-may-write:
              runs-on: ubuntu-latest
              permissions: { contents: write }
              # expect: moving MEDIUM
              container: docker.io/library/golang:latest
              steps: [{ run: make tag }]
            pulled:
              runs-on: ubuntu-latest
              steps:
                # expect: moving LOW
                - run: docker pull other/hadolint
                # expect: moving LOW
                - run: docker run --rm -i other/hadolint < Dockerfile
                # expect: moving LOW
                - run: docker pull other/docs
                - run: make docs
                # expect: moving MEDIUM
                - run: docker image pull -q other/site
                # expect: moving LOW
                - run: docker run other/site version
                # expect: moving MEDIUM
                - run: docker run -v "$PWD:/src" other/site build
            lint:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # expect: moving LOW
                    docker run --rm -i hadolint/hadolint < Dockerfile
                    # expect: moving MEDIUM
                    docker run --rm -v "$PWD:/src" other/lint
                    # expect: moving MEDIUM
                    docker run --rm -e TOKEN other/notify
                    # expect: moving MEDIUM
                    docker run --rm -e "KEY=$KEY" other/keyed
                    # expect: moving LOW
                    docker run -d -e ACCEPT=yes --env=MODE=fast -p 5555:80 other/node
                    # expect: moving LOW
                    docker run --rm -v "$PWD:/src" quay.io/acme/lint
                    # expect: moving LOW
                    docker run --rm -v "$PWD:/src" app/lint
        `,
      },
      {
        facts: LOOKED_UP,
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              # expect: tag
              container: postgres:17 # the database's own tools
              services:
                # expect: tag
                db: { image: 'postgres:17' }
              steps:
                # expect: moving
                - uses: docker://acme/lint
                - run: |
                    # expect: tag
                    docker run --rm "ghcr.io/acme/tool:1" check
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              # expect: tag
              container: postgres:17@${DIGEST} # the database's own tools
              services:
                # expect: tag
                db: { image: 'postgres:17@${DIGEST}' }
              steps:
                # expect: moving
                - uses: docker://acme/lint@${DIGEST}
                - run: |
                    # expect: tag
                    docker run --rm "ghcr.io/acme/tool:1@${DIGEST}" check
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              container: ghcr.io/acme/builder:2.1@sha256:0123456789012345678901234567890123456789012345678901234567890123
              services:
                own: { image: "ghcr.io/\${{ github.repository }}:\${{ github.sha }}" }
                computed: { image: "\${{ inputs.image }}" }
                empty: { image: '' }
              steps:
                - run: |
                    docker build -t acme/app:test .
                    docker run --rm acme/app:test
                    docker build --tag=acme/other . && docker run acme/other
                    docker run "$IMAGE"
                    docker run localhost:5000/acme/app
                    docker run -e NAME=value -p 80:80 alpine@sha256:0123456789012345678901234567890123456789012345678901234567890123
                - uses: docker/build-push-action@v6
                  with: { tags: acme/pushed:1, load: true }
                - run: docker run acme/pushed:1
            optional:
              runs-on: ubuntu-latest
              strategy: { matrix: { image: ['', null] } }
              container: \${{ matrix.image }}
              steps: [run: make]
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, { repository, facts }: RuleContext): Generator<Report<Message>> {
  for (const { images, role, at, span, pinAt, sealed = false } of imagesOf(definition)) {
    const [worst] = images
      .filter((image) => image.digest === undefined && !isLocalImage(image))
      .map((image) => ({ image, verdict: judge(image) }))
      .sort((a, b) => SEVERITIES.indexOf(a.verdict.severity) - SEVERITIES.indexOf(b.verdict.severity));
    if (worst === undefined) continue;
    const { image } = worst;
    const { message } = worst.verdict;
    const own = isOwn(image, repository);
    const little = own || sealed || !isAtStake(at, role, image, repository) || !mayStart(at, repository);
    const severity = worst.verdict.severity === 'MEDIUM' && little ? 'LOW' : worst.verdict.severity;
    const digest = digestOf(image, facts);
    yield {
      message,
      data: { image: image.text, role: ROLES[role] },
      at,
      span,
      severity,
      fix: pin(pinAt, digest),
      advice: images.length === 1 ? howToPin(image, pinAt, digest) : undefined,
      attributes: {
        image: image.name,
        role,
        mutability: message === 'moving' ? 'latest' : 'tag',
        own,
        handed: message === 'moving' && !own && receivesKey(at, role, image),
        vendors_keys: holdsVendorsKeysOnly(at, image, repository),
      },
    };
  }
}

/** The job keeps today’s image and no longer receives its security updates. */
function pin(span: Span | undefined, digest: Source<string> | undefined): Fix | undefined {
  if (span === undefined || digest === undefined || 'missing' in digest) return undefined;
  return { safety: 'review', edits: [{ span, text: `@${digest.value}` }] };
}

function digestOf({ text }: ImageReference, { images }: Facts): Source<string> | undefined {
  return images !== undefined && 'value' in images ? images.value.get(text) : undefined;
}

const WHY_UNKNOWN: Readonly<Partial<Record<NotAssessedReason, string>>> = {
  unsupported_host: 'It is not hosted on a registry that can be queried for digests.',
  no_permission: 'Its registry has no such tag, or requires a login to see it.',
  rate_limited: 'Its registry was not queried because of rate limits or too many images.',
};

function howToPin({ text }: ImageReference, at: Span | undefined, digest: Source<string> | undefined) {
  if (!/^[\w.:/-]{1,120}$/.test(text)) return undefined;
  let why = 'Its digest was not looked up; fixes that run online query the common registries.';
  if (at === undefined) why = 'The fix would have to change other places as well.';
  else if (digest !== undefined && 'missing' in digest) {
    why = WHY_UNKNOWN[digest.missing] ?? 'Its registry did not return a digest.';
  }
  return `${why} Run \`docker buildx imagetools inspect ${text} --format '{{.Manifest.Digest}}'\` for the digest of the index, which covers every architecture, and replace \`${text}\` with \`${text}@\` followed by that digest.`;
}

const SEVERITIES: readonly Severity[] = ['MEDIUM', 'LOW', 'INFO'];

function judge({ name, tag }: ImageReference): { message: Message; severity: Severity } {
  if (tag === undefined || tag === 'latest') return { message: 'moving', severity: 'MEDIUM' };
  return { message: 'tag', severity: OFFICIAL.test(name) ? 'INFO' : 'LOW' };
}

function mayStart(at: UsedImage['at'], repository: Repository): boolean {
  return (at.kind !== 'job' && at.kind !== 'step') || runsHere(at, repository);
}

/**
 * Services see only secrets passed to them. Docker’s official images are trusted with a token whose permissions the
 * repository decides, and forks’ pull requests get one that only reads.
 */
function isAtStake(
  at: UsedImage['at'],
  role: UsedImage['role'],
  { name }: ImageReference,
  repository: Repository,
): boolean {
  if (role === 'service') return false;
  const job = at.kind === 'job' ? at : at.kind === 'step' ? jobOf(at) : undefined;
  if (job === undefined) return true;
  const { secrets, mintsOidc } = credentialsOf(job);
  if (secrets.some((secret) => !opensLittle(secret)) || writesMoreThanTalk(job, repository)) return true;
  if (mintsOidc && identityUse(job, repository) !== 'none') return true;
  if (tokenPermissions(job).declared !== undefined || OFFICIAL.test(name)) return false;
  return startsOf(job.workflow, repository).some(({ event }) => !OF_FORKS_OR_MEMBERS.has(event));
}

const OF_FORKS_OR_MEMBERS: ReadonlySet<string> = new Set(['merge_group', 'pull_request', 'workflow_dispatch']);

const REGISTRY_OF_ONE_ACCOUNT = /\.dkr\.ecr\.|\.azurecr\.io\/|-docker\.pkg\.dev\//;

const PASSES_VARIABLE = /\s(?:-[a-zA-Z]*e|--env)(?:[\s=]|[A-Z]{2})/;

function receivesKey(at: UsedImage['at'], role: UsedImage['role'], image: ImageReference): boolean {
  if (REGISTRY_OF_ONE_ACCOUNT.test(image.name)) return false;
  const opens = (text: Text): boolean => keysIn([text]).some((name) => !opensOnly(name, namespaceOf(image)));
  if (at.kind === 'step') {
    if (role === 'script' && !PASSES_VARIABLE.test(at.run?.value ?? '')) return false;
    return [...textsBelow(at.mapping)].some(opens);
  }
  if (at.kind !== 'job' || role !== 'container') return false;
  const scripts = at.steps.filter(({ run }) => run !== undefined);
  const declared = [...(at.env?.entries ?? []), ...(at.container?.env?.entries ?? [])];
  return [...declared, ...scripts.flatMap(({ env }) => env?.entries ?? [])].some(({ value }) => opens(value));
}

function holdsVendorsKeysOnly(at: UsedImage['at'], image: ImageReference, repository: Repository): boolean {
  const job = at.kind === 'job' ? at : at.kind === 'step' ? jobOf(at) : undefined;
  return job !== undefined && losesOnlyTo([namespaceOf(image)], job, repository);
}

function keysIn(texts: readonly Text[]): string[] {
  return texts.flatMap(secretNamesIn).filter((name) => name !== 'github_token' && !opensLittle(name) && namesKey(name));
}

function namespaceOf({ name }: ImageReference): string {
  const parts = name.toLowerCase().split('/');
  return parts.at(-2) ?? '';
}

function isOwn({ name }: ImageReference, { owners, fullName }: Repository): boolean {
  const [, namespace = ''] = /^(?:(?:ghcr\.io|quay\.io|docker\.io)\/)?([^/.]+)\//.exec(name.toLowerCase()) ?? [];
  if (namespace === '') return false;
  // Docker Hub's names have no hyphens, which accounts of the code host often do.
  const named = [...owners].some((owner) => owner === namespace || owner.replaceAll('-', '') === namespace);
  return named || namespace === fullName?.split('/')[1];
}
