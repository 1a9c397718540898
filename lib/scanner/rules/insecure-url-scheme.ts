import { hostOf, remoteCodeOf } from '#lib/analysis/inventory/downloads.ts';
import { credentialsOf } from '#lib/analysis/privileges/job-credentials.ts';
import { replaceMatch } from '#lib/workflow/edits/scalars.ts';
import { inputOf } from '#lib/workflow/model/action-uses.ts';
import {
  type Definition,
  type Dependabot,
  jobOf,
  type Step,
  stepsOf,
  type Text,
  type Variables,
} from '#lib/workflow/model/model.ts';
import { textOf } from '#lib/workflow/parse/fields.ts';
import { commandsIn, type ShellCommand, type ShellWord, shellOf } from '#lib/workflow/shell/shell.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Fix, type Report, yaml } from '../engine/rule.ts';

type Message = 'code' | 'plain' | 'unchecked' | 'registry';

export const insecureUrlScheme = defineRule({
  id: 'insecure-url-scheme',
  meta: {
    title: 'Insecure URL scheme or disabled TLS verification',
    why: 'Over `http://`, `git://` or `ftp://`, or over TLS without certificate verification, a man in the middle can tamper with sources, packages and configuration.',
    attack:
      'An attacker on the network path between runner and server, or one who controls DNS for its name, responds with modified code, which the job builds and runs with its credentials.',
    recommendation:
      'Use `https://` and keep verification enabled. For a private certificate authority, install its certificate instead, for example through `NODE_EXTRA_CA_CERTS`, `GIT_SSL_CAINFO` or `PIP_CERT`.',
    limits:
      'Checks shell commands, environment variables, registry inputs and Dependabot registries, not files of the repository or other shells. Downloads that the same step executes are reported by unverified-script-exec. System package repositories are ignored because they are signed, as are addresses of the runner itself or of private networks.',
    severity: 'LOW',
    confidence: 'high',
    category: 'CICD-SEC-3',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpsslVerify',
      'https://nodejs.org/api/cli.html#node_tls_reject_unauthorizedvalue',
      'https://pip.pypa.io/en/stable/cli/pip/#cmdoption-trusted-host',
    ],
    messages: {
      code: '{{program}} gets code from {{url}}, where a man in the middle can tamper with it.',
      plain: '{{program}} downloads {{url}}, which a man in the middle can tamper with.',
      unchecked: '{{what}} disables certificate or signature verification.',
      registry: 'The Dependabot registry {{name}} uses {{url}}, where a man in the middle can tamper with packages.',
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
              env:
                # expect: unchecked
                NODE_TLS_REJECT_UNAUTHORIZED: 0
              steps:
                - run: |
                    # expect: code
                    git clone http://git.acme.dev/tool.git
                    # expect: code
                    pip install --index-url http://pypi.acme.dev/simple tool
                    # expect: plain
                    curl -o data.json http://data.acme.dev/data.json
                    # expect: unchecked
                    curl -fsSk https://data.acme.dev/data.json > data.json
                    # expect: unchecked
                    git config --global http.sslVerify false
                    # expect: unchecked
                    npm config set strict-ssl false
                    # expect: unchecked
                    pip install --trusted-host pypi.acme.dev tool
                    # expect: unchecked
                    GIT_SSL_NO_VERIFY=1 git fetch
                - uses: actions/setup-node@v4
                  with:
                    # expect: code
                    registry-url: http://npm.acme.dev
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: code
                - run: git clone "git://git.acme.dev/tool.git" && cd tool
        `,
        fixed: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: code
                - run: git clone "https://git.acme.dev/tool.git" && cd tool
        `,
      },
      {
        yaml: {
          '.github/dependabot.yml': yaml`
            version: 2
            registries:
              acme:
                type: npm-registry
                # expect: registry
                url: http://npm.acme.dev
            updates: []
          `,
        },
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              env: { NODE_TLS_REJECT_UNAUTHORIZED: 1, GIT_SSL_NO_VERIFY: 'false' }
              steps:
                - run: |
                    curl -k https://localhost:8443/health
                    curl http://127.0.0.1:3000 http://api:8080/ http://10.0.0.5/ "http://$HOST/health"
                    curl -sK config https://acme.dev/data.json
                    curl --retry 3 -X POST https://acme.dev/ -d 'see http://acme.dev/help'
                    echo "deb http://archive.ubuntu.com/ubuntu noble main" | sudo tee /etc/apt/sources.list
                    echo http://www.w3.org/2000/svg
                    git clone https://git.acme.dev/tool.git
                    git config --global http.sslVerify true
                    pip install --trusted-host localhost tool
                    curl --proxy http://proxy.acme.dev https://acme.dev/data.json
        `,
      },
    ],
  },
  check: { workflow: check, action: check, dependabot: checkDependabot },
});

const SIGN =
  /\b(?:http|git|ftp):\/\/|insecure|no-check-cert|ssl|trusted-host|tls|allow-unauthenticated|\bcurl\b[^\n]{0,200}\s-[a-z]{0,20}k/i;

function* check(definition: Definition): Generator<Report<Message>> {
  if (definition.kind === 'workflow') {
    yield* inVariables(definition.env, definition);
    for (const job of definition.jobs) if (job.env !== undefined) yield* inVariables(job.env, job);
  }
  for (const step of stepsOf(definition)) {
    if (step.env !== undefined) yield* inVariables(step.env, step);
    if (step.with !== undefined) yield* inInputs(step);
    if (step.run !== undefined && SIGN.test(step.run.value)) yield* inScript(step, step.run);
  }
}

function* checkDependabot(dependabot: Dependabot): Generator<Report<Message>> {
  const registries = valueOf(dependabot.root, 'registries');
  if (registries?.kind !== 'mapping') return;
  for (const [name, { value }] of registries.entries) {
    const url = textOf(value, 'url');
    if (url !== undefined && isPlain(url.value)) {
      yield { message: 'registry', data: { name, url: url.value }, at: dependabot, span: url.span };
    }
  }
}

const SWITCHES: Readonly<Record<string, RegExp>> = {
  NODE_TLS_REJECT_UNAUTHORIZED: /^0$/,
  GIT_SSL_NO_VERIFY: /^(?:1|true|yes|on)$/i,
  PYTHONHTTPSVERIFY: /^0$/,
  NPM_CONFIG_STRICT_SSL: /^false$/i,
  BUNDLE_SSL_VERIFY_MODE: /^0$/,
};

const REGISTRIES: ReadonlySet<string> = new Set([
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'UV_INDEX_URL',
  'UV_DEFAULT_INDEX',
  'NPM_CONFIG_REGISTRY',
  'YARN_NPM_REGISTRY_SERVER',
  'GOPROXY',
]);

function* inVariables(variables: Variables | undefined, at: Report['at']): Generator<Report<Message>> {
  for (const { name, value, span } of variables?.entries ?? []) {
    const upper = name.toUpperCase();
    const text = value.value.trim();
    if (SWITCHES[upper]?.test(text) === true) yield { message: 'unchecked', data: { what: name }, at, span };
    else if (REGISTRIES.has(upper)) {
      const url = text.split(/[,|\s]/).find(isPlain);
      if (url !== undefined) yield { message: 'code', data: { program: name, url }, at, span: value.span };
    }
  }
}

function* inInputs(step: Step): Generator<Report<Message>> {
  for (const name of ['registry-url', 'npm-registry', 'index-url']) {
    const text = inputOf(step, name);
    if (text === undefined || !isPlain(text.value.trim())) continue;
    const program = step.uses?.text.value.split('@')[0] ?? 'The action';
    yield {
      message: 'code',
      data: { program, url: text.value.trim() },
      at: step,
      span: text.span,
      severity: weight(step),
    };
  }
}

function* inScript(step: Step, run: Text): Generator<Report<Message>> {
  const shell = shellOf(step);
  // In an OS matrix, the step's own condition often decides the shell.
  if (shell !== 'posix' && shell !== 'unknown') return;
  const elsewhere = remoteCodeOf(step);
  for (const command of commandsIn(run)) {
    for (const { name, value } of command.assignments) {
      if (SWITCHES[name.toUpperCase()]?.test(value.value) === true) {
        yield { message: 'unchecked', data: { what: name }, at: step, span: value.span };
      }
    }
    if (elsewhere.some(({ span }) => overlap(span, command.span))) continue;
    const option = uncheckedOption(command);
    if (option !== undefined) {
      const what = `${command.program} ${option.value}`;
      yield { message: 'unchecked', data: { what }, at: step, span: option.span };
      continue;
    }
    const source = plainSource(command);
    if (source === undefined) continue;
    const { word, url, code } = source;
    yield {
      message: code ? 'code' : 'plain',
      data: { program: command.program, url },
      at: step,
      span: word.span,
      severity: code ? weight(step) : 'INFO',
      fix: encrypt(step, word),
    };
  }
}

function weight(step: Step): 'MEDIUM' | 'LOW' {
  const job = jobOf(step);
  return job !== undefined && credentialsOf(job).any ? 'MEDIUM' : 'LOW';
}

function overlap(a: Span, b: Span): boolean {
  return a.start < b.end && b.start < a.end;
}

interface Source {
  readonly word: ShellWord;
  readonly url: string;
  readonly code: boolean;
}

const NOT_FETCHED =
  /^(?:-d|--data(?:-\w+)?|-H|--header|-x|--proxy|--preproxy|-e|--referer|-A|--user-agent|-F|--form|-w)$/;

function plainSource({ program, args }: ShellCommand): Source | undefined {
  const first = args.find(({ value }) => !value.startsWith('-'))?.value ?? '';
  const takes =
    program === 'git'
      ? /^(?:clone|fetch|pull|submodule|remote|ls-remote)$/.test(first)
      : /^(?:pip3?|uv|npm|pnpm|yarn|gem|bundle|go|cargo|helm|kubectl|composer|nuget|dotnet)$/.test(program)
        ? first !== 'config' || args.some(({ value }) => value === 'set')
        : undefined;
  if (takes === false || (takes === undefined && !/^(?:curl|wget|aria2c)$/.test(program))) return undefined;
  for (const [index, word] of args.entries()) {
    const before = args[index - 1]?.value ?? '';
    if (NOT_FETCHED.test(before) || /^--(?:data|header|proxy|referer|form)/.test(word.value)) continue;
    const url = /^(?:-[\w-]*=)?((?:http|git|ftp):\/\/.*)$/i.exec(word.value)?.[1];
    if (url !== undefined && isPlain(url)) return { word, url, code: takes === true };
  }
  return undefined;
}

const LONG_SWITCH =
  /^(?:--insecure|--no-check-certificate|--insecure-skip-tls-verify(?:=true)?|--tls-verify=false|--(?:src|dest)-tls-verify=false|--strict-ssl=false|--no-strict-ssl|--allow-unauthenticated|http\.sslverify=(?:false|0))$/i;

function uncheckedOption({ program, args }: ShellCommand): ShellWord | undefined {
  const values = args.map(({ value }) => value);
  if (program === 'pip' || program === 'pip3') {
    const at = values.indexOf('--trusted-host');
    const host = at === -1 ? undefined : values[at + 1];
    return host === undefined || isLocalHost(host.split(':')[0] ?? '') ? undefined : args[at];
  }
  if (program === 'git' && values[0] === 'config') {
    const at = values.findIndex((value) => /^http\.(?:.*\.)?sslverify$/i.test(value));
    return at !== -1 && /^(?:false|0|no|off)$/i.test(values[at + 1] ?? '') ? args[at] : undefined;
  }
  if (/^(?:npm|yarn|pnpm)$/.test(program) && values[0] === 'config') {
    const at = values.findIndex((value) => /^strict-ssl(?:=false)?$/i.test(value));
    const off = at !== -1 && (/=false$/i.test(values[at] ?? '') || /^false$/i.test(values[at + 1] ?? ''));
    return off ? args[at] : undefined;
  }
  if (!/^(?:curl|wget|git|npm|yarn|pnpm|helm|kubectl|podman|skopeo|buildah|apt|apt-get|oc|argocd)$/.test(program)) {
    return undefined;
  }
  const option = args.find(
    ({ value }) => LONG_SWITCH.test(value) || (program === 'curl' && /^-[a-zA-Z]*k/.test(value) && isBundle(value)),
  );
  if (option === undefined || !/^(?:curl|wget|helm|kubectl|oc|argocd)$/.test(program)) return option;
  // Test servers in the job use self-signed certificates, and a computed address may be one of them.
  return values.some((value) => /^https:\/\//i.test(value) && isForeign(value)) ? option : undefined;
}

/** In `-sok`, `k` is the file name of `-o`. */
function isBundle(value: string): boolean {
  return !/^-[^k]*[oHdXuKAebmTFwxyYzC]/.test(value);
}

function isPlain(url: string): boolean {
  return /^(?:http|git|ftp):\/\//i.test(url) && isForeign(url);
}

function isForeign(url: string): boolean {
  const host = hostOf(url);
  return host !== undefined && !/[${}`<>]/.test(host) && !isLocalHost(host);
}

function isLocalHost(host: string): boolean {
  if (!host.includes('.') || /[${}`]/.test(host)) return true;
  return (
    /^(?:127|10|0|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\./.test(host) ||
    /(?:^|\.)(?:local|localhost|localdomain|internal|test|example|invalid|lan|home\.arpa|nip\.io|sslip\.io)$/.test(
      host,
    ) ||
    /(?:^|\.)example\.(?:com|org|net)$/.test(host)
  );
}

function encrypt({ run }: Step, { span, text }: ShellWord): Fix | undefined {
  // The server may not support HTTPS.
  const edit = run && !/ftp:\/\//i.test(text) ? replaceMatch(run, span, /(?:http|git)(?=:\/\/)/i, 'https') : undefined;
  return edit && { safety: 'review', edits: [edit] };
}
