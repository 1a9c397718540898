import { imagesOf, isLocalImage, type UsedImage } from '#lib/analysis/inventory/images.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { type Facts, NO_FACTS, type NotAssessedReason, type Source } from '#lib/facts/facts.ts';
import { type Definition, jobOf } from '#lib/workflow/model/model.ts';
import type { ImageReference } from '#lib/workflow/model/reference.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { defineRule, type Fix, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

/** Curated images of the registry’s own library: `postgres`, `library/alpine`. */
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
    title: 'Container image without a digest',
    why: 'A tag of an image can be pushed again with other content at any time, and the next run uses it. Only a digest always names the same image.',
    attack:
      'Whoever gets the registry account of the image’s publisher pushes a changed image under the same tag. Jobs that run in it, or beside it, hand over their sources and credentials.',
    recommendation:
      'Add the digest after the tag: `image: postgres:17.2@sha256:<64 hex digits>`. Renovate moves both; Dependabot looks at no image in a workflow.',
    limits:
      'Base images in Dockerfiles are not looked at, nor are images that an expression computes other than by choosing among literal names and values of a matrix. In scripts only literal names given to docker, podman or nerdctl are seen; what the same file builds or tags is left out.',
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
      moving: '{{image}}, used by {{role}}, is whatever was pushed last.',
      tag: '{{image}}, used by {{role}}, can be pushed again under the same tag.',
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
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
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
    const little = own || sealed || !isAtStake(at, role);
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
      attributes: { image: image.name, role, mutability: message === 'moving' ? 'latest' : 'tag', own },
    };
  }
}

/** What the registry says that the tag names, at its end. A job keeps what it runs today, and gets no later repair of it. */
function pin(span: Span | undefined, digest: Source<string> | undefined): Fix | undefined {
  if (span === undefined || digest === undefined || 'missing' in digest) return undefined;
  return { safety: 'review', edits: [{ span, text: `@${digest.value}` }] };
}

function digestOf({ text }: ImageReference, { images }: Facts): Source<string> | undefined {
  return images !== undefined && 'value' in images ? images.value.get(text) : undefined;
}

const WHY_UNKNOWN: Readonly<Partial<Record<NotAssessedReason, string>>> = {
  unsupported_host: 'It names no image of the registries that are asked for digests.',
  no_permission: 'Its registry has no such tag, or shows it to nobody who is not signed in.',
  rate_limited: 'Its registry was not asked: it limits requests, or there are more images than are looked up at once.',
};

function howToPin({ text }: ImageReference, at: Span | undefined, digest: Source<string> | undefined) {
  if (!/^[\w.:/-]{1,120}$/.test(text)) return undefined;
  let why = 'Its digest was not looked up; fixes on request ask well-known registries.';
  if (at === undefined) why = 'More than this place would have to change with it.';
  else if (digest !== undefined && 'missing' in digest) {
    why = WHY_UNKNOWN[digest.missing] ?? 'Its registry did not tell its digest.';
  }
  return `${why} \`docker buildx imagetools inspect ${text} --format '{{.Manifest.Digest}}'\` prints that of the index, which serves every architecture: write \`${text}@\` and it, in the place of \`${text}\`.`;
}

const SEVERITIES: readonly Severity[] = ['MEDIUM', 'LOW', 'INFO'];

function judge({ name, tag }: ImageReference): { message: Message; severity: Severity } {
  if (tag === undefined || tag === 'latest') return { message: 'moving', severity: 'MEDIUM' };
  return { message: 'tag', severity: OFFICIAL.test(name) ? 'INFO' : 'LOW' };
}

/** A service sees none of the job's secrets but those that it is given; a job without rights and secrets has nothing to take. */
function isAtStake(at: UsedImage['at'], role: UsedImage['role']): boolean {
  if (role === 'service') return false;
  const job = at.kind === 'job' ? at : at.kind === 'step' ? jobOf(at) : undefined;
  if (job === undefined) return true;
  const { any, mayWrite } = credentialsOf(job);
  return any || mayWrite;
}

/**
 * An image under the account's or the project's own name, at the registries where projects keep theirs: whoever may push
 * it may most often push here, too.
 */
function isOwn({ name }: ImageReference, { owners, fullName }: Repository): boolean {
  const [, namespace = ''] = /^(?:(?:ghcr\.io|quay\.io|docker\.io)\/)?([^/.]+)\//.exec(name.toLowerCase()) ?? [];
  return owners.has(namespace) || (namespace !== '' && namespace === fullName?.split('/')[1]);
}
