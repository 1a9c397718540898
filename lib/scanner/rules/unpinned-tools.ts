import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { TOOL_INSTALLERS, type ToolInstaller } from '#lib/data/curated/tool-installers.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step } from '#lib/workflow/model/model.ts';
import { isExact, parseVersion } from '#lib/workflow/model/versions.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

const BY_ACTION: ReadonlyMap<string, ToolInstaller> = new Map(TOOL_INSTALLERS.map((entry) => [entry.action, entry]));

const MOVING =
  /^(?:latest(?:[-_]?(?:release|stable|beta|version))?|stable|nightly|edge|beta|canary|next|main|master|head|tip)$/i;
const RANGE = /^(?:[\^~]|[<>]=?|\*$|v?\d+(?:\.\d+)?(?:\.[x*])$|v?[x*]$)/i;

type Message = 'missing' | 'moving' | 'range';

export const unpinnedTools = defineRule({
  id: 'unpinned-tools',
  meta: {
    title: 'Setup action installs an unpinned tool version',
    why: 'Even a pinned action downloads its tool at run time. If the version is left open, a release published a minute ago runs next to the job’s credentials, before anyone could notice that it is malicious.',
    attack:
      'An attacker who takes over the tool’s release process publishes a modified version. Every job that requests the latest version runs it immediately and exposes the secrets it uses.',
    recommendation:
      'Set an exact version in the action’s version input, and let an update bot raise it a few days after each release.',
    limits:
      'Covers actions for tools that deploy, publish, scan, handle secrets or run AI agents; setup actions for languages are not reported. Versions given by an expression are not followed, and version files in the repository are not read.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#using-third-party-actions',
      'https://owasp.org/www-project-top-10-ci-cd-security-risks/CICD-SEC-03-Dependency-Chain-Abuse',
    ],
    messages: {
      missing: 'Because {{input}} is not set, {{action}} installs the newest version of {{tool}}{{beside}}.',
      moving: '{{action}} installs version “{{version}}” of {{tool}}{{beside}}.',
      range: '{{action}} installs the newest version of {{tool}} that matches “{{version}}”{{beside}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                # expect: missing
                - uses: hashicorp/setup-terraform@b9cd54a3c349d3f38e8881555d616ced269862dd # v3.1.2
                - uses: 1password/install-cli-action@9a1c6b1cfb4dcbc7d7b7f3c2b3a1a1d8e4b9f0aa
                  with:
                    # expect: moving
                    version: latest
                - uses: goreleaser/goreleaser-action@9c156ee8a17a598857849441385a2041ef570552 # v6.3.0
                  # expect: range
                  with: { version: "~> v2" }
                - run: terraform apply
                  env: { TOKEN: "\${{ secrets.TOKEN }}" }
            build:
              runs-on: ubuntu-latest
              permissions: { contents: read }
              steps:
                # expect: missing INFO
                - uses: goreleaser/goreleaser-action@9c156ee8a17a598857849441385a2041ef570552 # v6.3.0
                  with: { args: release --skip=publish }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            deploy:
              runs-on: ubuntu-latest
              steps:
                - uses: hashicorp/setup-terraform@v3
                  with: { terraform_version: 1.9.8 }
                - uses: opentofu/setup-opentofu@v1
                  with: { tofu_version_file: .opentofu-version }
                - uses: azure/setup-helm@v4
                  with: { version: "\${{ env.HELM }}" }
                - uses: sigstore/cosign-installer@v3
                - uses: actions/setup-node@v4
                  with: { node-version: latest }
                - uses: google-github-actions/setup-gcloud@v2
                  with: { version: 500.0.0 }
        `,
      },
    ],
  },
  check: { step: check },
});

function* check(step: Step): Generator<Report<Message>> {
  const action = actionOf(step);
  const installer = action && (BY_ACTION.get(action.name) ?? BY_ACTION.get(action.slug));
  if (action === undefined || installer === undefined) return;
  const { tool, input, alternatives } = installer;
  if (step.with?.expression !== undefined || alternatives?.some((name) => inputOf(step, name) !== undefined) === true) {
    return;
  }
  const text = inputOf(step, input);
  const version = text?.value.trim() ?? '';
  const message = judge(version, installer);
  if (message === undefined) return;
  const holds = holdsSomething(step);
  yield {
    message,
    data: {
      action: `${action.owner}/${action.repo}`,
      tool,
      input,
      version,
      beside: holds ? ', which runs next to the job’s credentials' : '',
    },
    at: step,
    span: version === '' ? (step.uses?.text.span ?? step.span) : (text?.span ?? step.span),
    severity: holds ? 'LOW' : 'INFO',
  };
}

function judge(version: string, { whenMissing }: ToolInstaller): Message | undefined {
  if (version === '') return whenMissing === 'moving' ? 'missing' : undefined;
  if (version.includes('${{')) return undefined;
  if (MOVING.test(version)) return 'moving';
  const parsed = parseVersion(version);
  return RANGE.test(version) || (parsed !== undefined && !isExact(parsed)) ? 'range' : undefined;
}

function holdsSomething(step: Step): boolean {
  const job = jobOf(step);
  return job !== undefined && credentialsOf(job).any;
}
