import { usesKeysElsewhere } from '#lib/analysis/impact/keys-beside.ts';
import { isLowValueTarget } from '#lib/analysis/impact/low-value-jobs.ts';
import { losesOnlyTo } from '#lib/analysis/impact/vendors-keys.ts';
import { hostOf, type RemoteCode, remoteCodeOf } from '#lib/analysis/inventory/downloads.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { knownLabels, runnerKind } from '#lib/analysis/privileges/runners.ts';
import { opensOnly } from '#lib/analysis/privileges/secret-names.ts';
import { secretsSentWith } from '#lib/analysis/privileges/sent-secrets.ts';
import { writeSigns } from '#lib/analysis/privileges/write-signs.ts';
import { isCalledAfterTests, publishesIn } from '#lib/analysis/publishing/publish.ts';
import { isInPublishedAction } from '#lib/analysis/publishing/published-actions.ts';
import { releaseJobs } from '#lib/analysis/publishing/releases.ts';
import { runsHere } from '#lib/analysis/reachability/outsider-reach.ts';
import {
  MACOS_VENDOR_HOSTS,
  RUNNER_OPERATOR_HOSTS,
  VENDOR_FOLDERS,
  VENDOR_HOSTS,
} from '#lib/data/curated/vendor-downloads.ts';
import { ACCOUNTS_OF_HOSTS } from '#lib/data/curated/vendor-keys.ts';
import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { defineRule, type Report, type RuleContext, type Severity, yaml } from '../engine/rule.ts';

const OPEN_HOSTS =
  /^(?:(?:.+\.)?(?:pastebin\.com|paste\.ee|hastebin\.com|transfer\.sh|ngrok\.io|ngrok-free\.app|file\.io)|bit\.ly|tinyurl\.com|git\.io|t\.co|goo\.gl|is\.gd|\d{1,3}(?:\.\d{1,3}){3})$/;

const COMMIT = /[/@](?:[0-9a-f]{40}|\$\{?(?=\w*(?:sha|commit|rev))\w+\}?)(?:[/.]|$)/i;
const REGISTRY_VERSION =
  /^https:\/\/(?:deno\.land\/(?:std|x\/\w+)|(?:www\.)?unpkg\.com\/.+|cdn\.jsdelivr\.net\/npm\/.+)@v?\d+\.\d+\.\d+/;
const VERSION =
  /\d\.\d|-\d{6,12}(?=[_.-])|\d{4}-\d{2}-\d{2}|\$\{?\w*(?:version|ver\b|tag|release)|\$\{\{[^}]{0,200}version/i;
const OWN = /github\.(?:repository|sha)\b|GITHUB_(?:REPOSITORY|SHA)\b/;

const OWNERS: Readonly<Record<string, readonly string[]>> = {
  astral: ['astral-sh'],
  bun: ['oven-sh'],
  deno: ['denoland'],
  docker: ['moby'],
  k8s: ['kubernetes', 'kubernetes-sigs', 'etcd-io'],
  mise: ['jdx'],
  rustup: ['rust-lang'],
};

const SHARED_HOSTS =
  /(?:^|\.)(?:github(?:usercontent)?\.(?:com|io)|gitlab\.(?:com|io)|amazonaws\.com|cloudfront\.net|googleapis\.com|windows\.net|azureedge\.net|r2\.dev|pages\.dev|workers\.dev|netlify\.app|vercel\.app|herokuapp\.com|blogspot\.com|readthedocs\.io|co\.uk|com\.\w\w)$/;

type Message = 'applied' | 'built' | 'evaluated' | 'piped' | 'saved' | 'unpacked' | 'insecure';

export const unverifiedScriptExec = defineRule({
  id: 'unverified-script-exec',
  meta: {
    title: 'Downloaded code is executed without verification',
    why: 'A script or program that is downloaded in every run is whatever its server sends at that moment. When it changes, nothing in the repository does, so nobody reviews it.',
    attack:
      'An attacker who takes over the server, the release or the domain name changes the file, and the next run executes it with the job’s token and secrets. In 2021 a modified Codecov script read the environment of thousands of builds this way.',
    recommendation:
      'Save the download, compare it with a SHA-256 checksum in the workflow (`echo "<hash>  file" | sha256sum -c`), then run it; or use a URL with a full commit hash; or use a pinned action that installs the tool.',
    limits:
      'A file that one step saves and another runs is followed for ten steps. Not read are Dockerfiles, scripts of the repository, and scripts in an action’s input or a quoted `bash -c` string. Any checksum or signature tool in the step counts as verification of its downloads, unless it names other files. PowerShell and batch scripts are read line by line.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://about.codecov.io/security-update/',
      'https://docs.github.com/actions/reference/security/secure-use',
    ],
    messages: {
      applied: '{{runner}} applies whatever {{url}} answers, without verification.',
      built: '{{url}} is cloned as it is at that moment, and {{runner}} runs its code.',
      evaluated: '{{runner}} runs what {{url}} answers, which can be anything at each run.',
      piped: '{{url}} is downloaded and executed by {{runner}} without verification.',
      saved: '{{url}} is saved as {{runner}} and executed without verification.',
      unpacked: '{{url}} is unpacked, and its programs are used, without verification.',
      insecure:
        '{{url}} is downloaded over an insecure connection, where a man in the middle can change it, and executed.',
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
              steps:
                # expect: piped
                - run: curl -fsSL https://get.example.com/install.sh | sudo -E bash -s -- -b /usr/local/bin
                - run: |
                    # expect: piped
                    bash <(curl -s https://codecov.io/bash)
                    # expect: piped
                    sh -c "$(wget -qO- https://example.com/setup.sh)"
                    # expect: piped
                    eval "$(curl -s https://example.com/env.sh)"
                - run: |
                    # expect: saved
                    curl -Lo ./kind https://kind.sigs.k8s.io/dl/latest/kind-linux-amd64
                    chmod +x ./kind
                    sudo mv ./kind /usr/local/bin/
                - run: |
                    # expect: saved
                    wget https://example.com/tool.deb
                    sudo dpkg -i tool.deb
                # expect: unpacked
                - run: curl -sL https://example.com/latest/tool.tgz | tar xz -C /usr/local/bin
                - run: |
                    # expect: insecure MEDIUM
                    wget -q http://example.com/setup.sh -O setup.sh
                    bash setup.sh
                # expect: insecure MEDIUM
                - run: curl -k https://example.com/a.py | python3 -
                # expect: piped
                - run: deno run -A https://example.com/mod.ts
            deploy:
              runs-on: ubuntu-latest
              env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
              steps:
                # expect: insecure HIGH
                - run: curl -k https://example.com/a.py | python3 -
                # expect: piped HIGH
                - run: curl -sL https://git.io/example | sh
            release:
              permissions: { contents: write }
              runs-on: ubuntu-latest
              steps:
                # expect: piped HIGH
                - run: curl -sL https://git.io/example | sh
            push:
              runs-on: ubuntu-latest
              steps:
                - uses: actions/checkout@v5
                # expect: piped HIGH
                - run: curl -sL https://git.io/example | sh
                - run: git push
            site:
              runs-on: ubuntu-latest
              steps:
                # expect: piped HIGH
                - run: curl -sL https://git.io/example | sh
                - uses: peaceiris/actions-gh-pages@0123456789abcdef0123456789abcdef01234567
                  with: { github_token: "\${{ github.token }}", publish_dir: site }
            machine:
              runs-on: self-hosted
              steps:
                # expect: piped HIGH
                - run: curl -sL https://git.io/example | sh
            read:
              permissions: { contents: read }
              runs-on: ubuntu-latest
              steps:
                # expect: piped MEDIUM
                - run: curl -sL https://git.io/example | sh
                - run: git push
            windows:
              runs-on: windows-latest
              steps:
                # expect: piped
                - run: irm https://example.com/install.ps1 | iex
                # expect: piped
                - run: curl -sSfL https://example.com/install.sh | sh -s -- -b C:/tools
        `,
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # expect: saved LOW
                    curl -LO https://dl.k8s.io/release/stable/bin/linux/amd64/kubectl && chmod +x kubectl && ./kubectl version
                    # expect: piped LOW
                    curl -s https://raw.githubusercontent.com/helm/helm/main/scripts/get-helm-3 | bash
                    # expect: saved LOW
                    curl -Lo minio https://dl.example.com/RELEASE.2025-01-20T14-49-07Z && chmod +x minio && ./minio
                    # expect: piped LOW
                    curl -s https://raw.githubusercontent.com/acme/tools/main/setup.sh | bash
                    # expect: piped MEDIUM
                    curl -s https://raw.githubusercontent.com/other/tools/main/setup.sh | bash
            lint:
              runs-on: ubuntu-latest
              permissions: { contents: read }
              steps:
                # expect: piped LOW
                - run: curl -s https://raw.githubusercontent.com/other/tools/main/setup.sh | bash
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            report:
              runs-on: ubuntu-latest
              env: { SENTRY_AUTH_TOKEN: "\${{ secrets.SENTRY_AUTH_TOKEN }}" }
              steps:
                # expect: piped LOW
                - run: curl -sL https://sentry.io/get-cli/ | bash
            both:
              runs-on: ubuntu-latest
              env:
                SENTRY_AUTH_TOKEN: \${{ secrets.SENTRY_AUTH_TOKEN }}
                NPM_TOKEN: \${{ secrets.NPM_TOKEN }}
              steps:
                # expect: piped MEDIUM
                - run: curl -sL https://sentry.io/get-cli/ | bash
        `,
      },
      {
        repository: 'kubernetes/app',
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              permissions: { id-token: write }
              steps:
                # expect: saved LOW
                - run: curl -LO https://dl.k8s.io/release/stable/bin/linux/amd64/kubectl && chmod +x kubectl && ./kubectl version
                # expect: piped MEDIUM
                - run: curl -s https://get.docker.com | sh
        `,
      },
      {
        repository: 'watchtowerlabs/watchtower',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            named-after-the-product:
              runs-on: ubuntu-latest
              steps:
                # expect: piped LOW
                - run: curl -sSf https://repo.watchtower.example/install.sh | sh
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
            named-otherwise:
              runs-on: ubuntu-latest
              steps:
                # expect: piped MEDIUM
                - run: curl -sSf https://repo.labs.example/install.sh | sh
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: read }
          jobs:
            fetched-by-the-program:
              runs-on: ubuntu-latest
              env: { GITHUB_OAUTH: "\${{ secrets.BOT_PAT }}" }
              steps:
                - run: |
                    jbang trust add https://github.com/somebody/tools/blob/main/comment.java
                    # expect: piped MEDIUM
                    jbang https://github.com/somebody/tools/blob/main/comment.java -r acme/app
                # expect: piped MEDIUM
                - run: uv run --no-project https://scripts.example/report.py --all
                # expect: piped MEDIUM
                - run: pipx run https://scripts.example/report.py
                # expect: piped MEDIUM
                - run: groovy https://scripts.example/report.groovy
                - run: uv run report.py https://scripts.example
        `,
      },
      {
        repository: 'acme-labs/app',
        yaml: yaml`
          on: push
          permissions: { contents: read }
          env: { BASE: "https://get.tools.example", VERSION: 3 }
          jobs:
            stated:
              runs-on: ubuntu-latest
              steps:
                # expect: piped MEDIUM
                - run: curl -sSf \${{ env.BASE }}/install.sh | sh
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
            own-domain:
              runs-on: ubuntu-latest
              steps:
                # expect: piped LOW
                - run: curl -sSf https://get.acme-labs.io/install.sh | sh
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
            own-key:
              runs-on: ubuntu-latest
              steps:
                # expect: piped LOW
                - run: curl -sSf https://cli.watchtower.example/install.sh | sh
                  env: { WATCHTOWER_TOKEN: "\${{ secrets.WATCHTOWER_TOKEN }}" }
            other-key:
              runs-on: ubuntu-latest
              steps:
                # expect: piped MEDIUM
                - run: curl -sSf https://cli.watchtower.example/install.sh | sh
                  env: { KEY: "\${{ secrets.DEPLOY_KEY }}" }
        `,
      },
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            clone:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    # expect: built MEDIUM
                    git clone --depth 1 https://github.com/other/tool
                    cd tool && make install
                # expect: applied MEDIUM
                - run: kubectl apply -f https://raw.githubusercontent.com/other/tool/main/x.yaml
            ask:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    ask() { curl -sf "$@"; }
                    answer=$(ask https://status.example/next)
                    # expect: evaluated MEDIUM
                    eval "$answer"
                - run: |
                    ADDRESS=https://status.example
                    code="$(curl -sf "$ADDRESS/code" | base64 -d)"
                    # expect: evaluated MEDIUM
                    bash -c "$code"
                - run: |
                    script=$(wget -qO- https://status.example/script)
                    # expect: evaluated MEDIUM
                    sh <<< "$script"
                - run: |
                    more=$(curl -sf https://status.example/more)
                    # expect: evaluated MEDIUM
                    source /dev/stdin <<< "$more"
                # expect: saved MEDIUM
                - run: curl -sfo tool https://tools.example/tool
                - run: chmod +x tool && ./tool
                # expect: unpacked MEDIUM
                - run: curl -sf https://tools.example/kit.tar.gz | tar -xz -C kit
                - run: kit/run
        `,
      },
      {
        yaml: {
          'action.yml': yaml`
            name: Status
            description: Asks for the next task
            runs:
              using: composite
              steps:
                - run: |
                    answer=$(curl -sf https://status.example/next)
                    # expect: evaluated HIGH
                    eval "$answer"
                  shell: bash
          `,
        },
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            off:
              if: false && github.event_name == 'push'
              runs-on: ubuntu-latest
              steps:
                # expect: piped INFO
                - run: curl -s https://tools.example.com/install.sh | bash
                  env: { CLOUD_TOKEN: "\${{ secrets.CLOUD_TOKEN }}" }
            elsewhere:
              if: github.repository == 'other/app'
              runs-on: ubuntu-latest
              steps:
                # expect: insecure INFO
                - run: curl -s http://tools.example.com/install.sh | bash
            switch:
              if: vars.TOOLS == 'on' && github.event_name == 'push'
              runs-on: ubuntu-latest
              steps:
                # expect: piped INFO
                - run: curl -s https://tools.example.com/install.sh | bash
                  if: false
                # expect: piped MEDIUM
                - run: curl -s https://tools.example.com/install.sh | bash
                  env: { CLOUD_TOKEN: "\${{ secrets.CLOUD_TOKEN }}" }
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          permissions: { contents: write }
          jobs:
            ask:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    version=$(curl -sf https://status.example/latest | jq -r .tag)
                    bash -c "make VERSION=$version"
                    agent=$(ssh-agent -s)
                    eval "$agent"
                - run: curl -sfo tool https://tools.example/tool
                - run: sha256sum --check tool.sha256 && chmod +x tool && ./tool
                - run: curl -sf https://tools.example/docs.tar.gz | tar -xz -C docs
                - run: ls docs && ./own/run
        `,
      },
      {
        repository: 'acme/app',
        yaml: yaml`
          on: push
          jobs:
            title:
              runs-on: ubuntu-latest
              steps:
                - run: curl -s https://raw.githubusercontent.com/acme/app/main/tools/title.sh | bash
        `,
      },
      {
        yaml: yaml`
          on: push
          env:
            RAW: https://raw.githubusercontent.com/acme/tools
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    curl -sL https://api.example.com/data | jq .
                    curl -s https://api.example.com/data | python3 -c 'import json, sys; print(json.load(sys.stdin))'
                    curl -s https://api.example.com/data | python3 -m json.tool
                    curl -s https://api.example.com/list | bash scripts/handle.sh
                    curl -s https://api.example.com/list | perl -ne 'print if /x/'
                    VERSION="$(curl -s https://api.example.com/latest)"
                    curl -s http://localhost:8080/setup.sh | sh
                    curl -s https://example.com/key.gpg | sudo apt-key add -
                - run: |
                    curl -fLo tool https://example.com/tool
                    echo "$TOOL_HASH  tool" | sha256sum -c -
                    chmod +x tool
                    ./tool
                - run: curl -s "$RAW/0123456789abcdef0123456789abcdef01234567/run.sh" | bash
                - run: curl -s "https://raw.githubusercontent.com/\${{ github.repository }}/\${{ github.sha }}/run.sh" | bash
                - run: |
                    curl -sL https://example.com/dataset.tar.gz | tar xz -C testdata
                    curl -o report.json https://example.com/report.json
                    chmod 644 report.json
                - run: deno run -A https://deno.land/std@0.224.0/http/file_server.ts
                - run: echo "curl https://example.com/install.sh | sh"
            windows:
              runs-on: windows-latest
              steps:
                - run: curl -s https://api.example.com/list | bash scripts/handle.sh
                - run: iwr https://example.com/list.json | Tee-Object list.json
        `,
      },
    ],
  },
  check: { step: check },
});

function* check(step: Step, { repository }: RuleContext): Generator<Report<Message>> {
  for (const code of remoteCodeOf(step)) {
    const url = code.url ?? '';
    if (COMMIT.test(url) || REGISTRY_VERSION.test(url) || OWN.test(url)) continue;
    if (repository.fullName !== undefined && sourceOf(url).name === repository.fullName) continue;
    yield {
      message: code.insecure ? 'insecure' : code.kind,
      data: { url: shorten(url), runner: code.runner },
      at: step,
      span: code.span,
      severity: severityOf(code, step, repository),
      confidence: code.url === undefined ? 'medium' : 'high',
      attributes: {
        kind: code.kind,
        host: hostOf(url) ?? '',
        insecure: code.insecure,
        vendor_in_tests: isVendorsInTests(url, step),
        vendors_keys: holdsVendorsKeysOnly(step, code, repository),
        keys_elsewhere: usesKeysElsewhere(step, repository),
        runner_operator: comesFromOperator(step, code),
        ...(isInPublishedAction(step) ? { published: true } : {}),
      },
    };
  }
}

function severityOf({ url = '', insecure, kind }: RemoteCode, step: Step, repository: Repository): Severity {
  const host = hostOf(url) ?? '';
  if (!runsHere(step, repository)) return 'LOW';
  if (kind === 'evaluated' && isInPublishedAction(step)) return 'HIGH';
  const job = jobOf(step);
  const atStake = job !== undefined && holdsMoreThan(job, url);
  if (insecure || OPEN_HOSTS.test(host)) {
    return atStake || job === undefined || changesMore(job, repository) ? 'HIGH' : 'MEDIUM';
  }
  if (VERSION.test(url.slice(url.indexOf(host) + host.length))) return 'LOW';
  if ((isVendors(url) || kind === 'unpacked') && !atStake) return 'LOW';
  const { owner } = sourceOf(url);
  const vendor = vendorOf(url);
  const names = [owner ?? '', vendor, ...(ownValue(OWNERS, vendor) ?? [])];
  if (names.some((name) => repository.owners.has(name) || isNamedLike(repository, name))) return 'LOW';
  return job !== undefined && isLowValueTarget(job, repository, vendor) ? 'LOW' : 'MEDIUM';
}

function changesMore(job: Job, repository: Repository): boolean {
  if (runnerKind(job) === 'self-hosted' || releaseJobs(repository).has(job)) return true;
  return credentialsOf(job).mayWrite && writeSigns(job, repository).scopes.size > 0;
}

function isNamedLike({ fullName = '' }: Repository, name: string): boolean {
  const [account = '', product = ''] = fullName.toLowerCase().split('/');
  return name.length > 3 && name === product && account.startsWith(name);
}

function holdsMoreThan(job: Job, url: string): boolean {
  const { secrets, grantsWrite, mintsOidc } = credentialsOf(job);
  return grantsWrite || mintsOidc || secrets.some((name) => !opensOnly(name, vendorOf(url)));
}

function holdsVendorsKeysOnly(step: Step, code: RemoteCode, repository: Repository): boolean {
  const { url = '' } = code;
  const job = jobOf(step);
  const sent = SHARED_HOSTS.test(hostOf(url) ?? '') ? undefined : secretsSentWith(code, step);
  return job !== undefined && losesOnlyTo([vendorOf(url)], job, repository, sent);
}

function comesFromOperator(step: Step, { url = '', insecure }: RemoteCode): boolean {
  const job = jobOf(step);
  if (insecure || job === undefined || runnerKind(job) !== 'hosted') return false;
  const host = hostOf(url) ?? '';
  const isMacos = knownLabels(job).every((label) => label.startsWith('macos-'));
  return RUNNER_OPERATOR_HOSTS.has(host) || (isMacos && MACOS_VENDOR_HOSTS.has(host));
}

function vendorOf(url: string): string {
  const host = hostOf(url) ?? '';
  const known = ownValue(ACCOUNTS_OF_HOSTS, host);
  if (known !== undefined) return known;
  if (SHARED_HOSTS.test(host)) return sourceOf(url).owner ?? '';
  return host.split('.').at(-2) ?? '';
}

function isVendorsInTests(url: string, step: Step): boolean {
  const job = jobOf(step);
  return job !== undefined && isVendors(url) && isCalledAfterTests(job) && !publishes(job);
}

function publishes({ steps }: Job): boolean {
  return steps.some((step) => publishesIn(step).length > 0);
}

function isVendors(url: string): boolean {
  if (VENDOR_HOSTS.has(hostOf(url) ?? '')) return true;
  const address = url.toLowerCase().replace(/^https:\/\//, '');
  return VENDOR_FOLDERS.some((folder) => address.startsWith(folder));
}

function sourceOf(url: string): { readonly owner?: string; readonly name?: string } {
  const [, owner, name] =
    /^https:\/\/(?:raw\.githubusercontent|github)\.com\/([\w.-]{1,100})\/([\w-][\w.-]{0,99}?)(?:\.git)?(?:[/@]|$)/.exec(
      url.toLowerCase(),
    ) ?? [];
  return owner === undefined ? {} : { owner, name: `${owner}/${name}` };
}

function shorten(url: string): string {
  if (url === '') return 'A computed URL';
  return url.length > 120 ? `${url.slice(0, 119)}…` : url;
}
