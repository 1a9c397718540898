import { imagesOf } from '#lib/analysis/inventory/images.ts';
import { replaceVerbatim } from '#lib/workflow/edits/scalars.ts';
import { usesOf } from '#lib/workflow/model/action-uses.ts';
import type { Definition, Uses } from '#lib/workflow/model/model.ts';
import { isFullSha } from '#lib/workflow/model/reference.ts';
import { defineRule, type Fix, type Report, type RuleContext, yaml } from '../engine/rule.ts';

const SHORT_HASH = /^(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,39}$/i;
const LONG_HASH = /^[0-9a-f]{41,}$/i;
const GLUED = /^([0-9a-f]{40}|[0-9a-f]{64})(#.*)$/i;
const ALL_ZEROS = /^0+$/;
/** https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests */
const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

type Message = 'short' | 'length' | 'glued' | 'nothing' | 'tagObject' | 'digest';

export const invalidPin = defineRule({
  id: 'invalid-pin',
  meta: {
    title: 'Pin is not a valid commit hash or digest',
    why: 'A pin protects only if it is a complete commit hash or digest. A shortened or mistyped one is refused, so the job does not run; and the publisher can create a branch or tag whose name looks like a hash.',
    attack:
      'Whoever controls the action’s repository creates a branch or tag with the shortened hash as its name. The workflow, which looks pinned to reviewers, then runs whatever that ref points to.',
    recommendation:
      'Write all 40 digits of the commit hash (64 in a SHA-256 repository, 64 after `sha256:` for an image), and a space before a comment. For an annotated tag, use the commit it points to: `git rev-parse v1.2.3^{commit}`.',
    limits:
      'Whether a complete hash exists in the repository cannot be seen from the files, and a tag object is recognised only online. A branch or tag may really have a name of hexadecimal digits.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
      'https://github.com/opencontainers/image-spec/blob/main/descriptor.md#digests',
    ],
    messages: {
      short:
        '{{name}} is pinned to {{ref}}, a shortened hash, which GitHub refuses unless a tag or branch has that name.',
      length: '{{name}} is pinned to {{ref}}, but no commit hash has {{count}} digits.',
      glued:
        'The comment after the hash of {{name}} is parsed as part of the ref, because there is no space before the `#`.',
      nothing: '{{name}} is pinned to a hash of zeros, which is not a commit.',
      tagObject:
        '{{name}} is pinned to {{ref}}, which is the hash of a tag object, not of the commit {{commit}} it points to.',
      digest: '{{name}} is pinned to a malformed digest.',
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
              # expect: digest
              container: alpine:3.20@sha256:0123456789abcdef
              steps:
                # expect: short
                - uses: actions/checkout@08c6903
                # expect: length
                - uses: acme/deploy@08c6903cd8c0fde910a37f88322edcfb5dd907a84
                # expect: nothing
                - uses: acme/notify@0000000000000000000000000000000000000000
                # expect: digest
                - uses: docker://acme/lint@sha256:GHIJ
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: glued
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8#v5.0.0
                # expect: glued
                - { uses: "acme/deploy/sub@08c6903cd8c0fde910a37f88322edcfb5dd907a8#v1" }
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: glued
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8#v5.0.0
                # expect: tagObject
                - uses: acme/deploy@AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA # v1.0.0
        `,
        facts: {
          settings: { missing: 'offline' },
          network: {
            value: {
              actions: new Map([
                [
                  'acme/deploy',
                  {
                    branches: new Map(),
                    tags: new Map([['v1.0.0', '1'.repeat(40)]]),
                    tagObjects: new Map([['a'.repeat(40), '1'.repeat(40)]]),
                  },
                ],
              ]),
            },
          },
        },
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: glued
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 #v5.0.0
                # expect: tagObject
                - uses: acme/deploy@1111111111111111111111111111111111111111 # v1.0.0
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
              container: alpine:3.20@sha256:0123456789012345678901234567890123456789012345678901234567890123
              services:
                computed: { image: "acme/db@\${{ needs.build.outputs.digest }}" }
              steps:
                - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
                - uses: acme/deploy@0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                - uses: acme/dated@20240131
                - uses: acme/word@facade
                - uses: acme/deploy@deadbee-fixes
                - run: docker pull "acme/app@$DIGEST"
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition, { facts }: RuleContext): Generator<Report<Message>> {
  for (const { uses, at } of usesOf(definition)) {
    const { reference, text } = uses;
    if (reference?.kind !== 'repository') continue;
    const { owner, repo, ref, slug } = reference;
    const known = 'value' in facts.network ? facts.network.value.actions.get(slug) : undefined;
    const commit = known?.tagObjects?.get(ref.toLowerCase());
    const message = commit === undefined ? judge(ref) : 'tagObject';
    if (message === undefined) continue;
    yield {
      message,
      data: {
        name: `${owner}/${repo}`,
        ref: ref.length > 16 ? `${ref.slice(0, 12)}…` : ref,
        count: String(ref.length),
        commit: commit?.slice(0, 12) ?? '',
      },
      at,
      span: text.span,
      confidence: message === 'short' ? 'medium' : 'high',
      fix: repair(uses, message, commit),
    };
  }
  for (const { images, at, span } of imagesOf(definition)) {
    const broken = images.find(
      ({ text, digest }) => digest !== undefined && !DIGEST.test(digest) && !/[$%<{]/.test(text),
    );
    if (broken !== undefined) yield { message: 'digest', data: { name: broken.name }, at, span };
  }
}

function judge(ref: string): Message | undefined {
  if (GLUED.test(ref)) return 'glued';
  if (isFullSha(ref)) return ALL_ZEROS.test(ref) ? 'nothing' : undefined;
  if (LONG_HASH.test(ref)) return 'length';
  return SHORT_HASH.test(ref) ? 'short' : undefined;
}

function repair({ text, reference }: Uses, message: Message, commit: string | undefined): Fix | undefined {
  if (reference?.kind !== 'repository') return undefined;
  const { ref, refStart } = reference;
  if (message === 'tagObject' && commit !== undefined) {
    const edit = replaceVerbatim(text, refStart, refStart + ref.length, commit);
    return edit && { safety: 'safe', edits: [edit] };
  }
  // Inside quotes or braces, a space would not start a comment.
  if (message !== 'glued' || text.node.style !== 'plain') return undefined;
  const hash = refStart + ref.indexOf('#');
  const edit = replaceVerbatim(text, hash, hash, ' ');
  return edit && { safety: 'safe', edits: [edit] };
}
