import { describe, expect, it } from 'vitest';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { rules } from '../rules/index.ts';
import { CREDENTIAL_SAMPLES } from '../testing/credential-samples.ts';
import { REDACTED, redact } from './redact.ts';

const WORD = 'CorrectHorse';
const GENERATED = 'q8Zr2LmX7vT4nB9sKd3WfY6pHc5GjQ1u';
const HEX = '3f7a9c1e5b8d2046af93c7e1b5d8024a6f9c3e7b1d5a8f204c6e9b3d7f1a5c8e';
const BASE64 = `${GENERATED}RaEoNiSxVzCyMtJkFbDgLwPhXr7T2Kv9`;

/** Only values in angle quotes must be hidden. The second column is the source of the format. */
const PLACES: readonly (readonly [text: string, source: string])[] = [
  [`curl -H "Authorization: Bearer «${WORD}»" https://acme.dev`, 'RFC 6750; gitleaks curl-auth-header'],
  [`curl -H 'authorization: bearer «${GENERATED}»'`, 'gitleaks curl-auth-header'],
  [`-H "Authorization: Basic «Ym90Omh1bnRlcjI=»"`, 'RFC 7617; gitleaks curl-auth-header'],
  [`-H "Authorization: token «${WORD}»"`, 'docs.github.com: authenticating to the REST API'],
  [`-H "Authorization: «${GENERATED}»"`, 'gitleaks curl-auth-header'],
  [`git -c http.extraheader="AUTHORIZATION: basic «eDpodW50ZXIy»" fetch`, 'git-scm.com: http.extraHeader'],
  [`{"Authorization": "Bearer «${GENERATED}»"}`, 'RFC 6750'],
  [`headers: { Authorization: \`Bearer «${GENERATED}»\` }`, 'RFC 6750'],
  [`echo "$NAME: Bearer «${GENERATED}»"`, 'RFC 6750'],
  [`-H "X-Api-Key: «${WORD}»"`, 'gitleaks curl-auth-header'],
  [`-H 'PRIVATE-TOKEN: «${GENERATED}»'`, 'docs.gitlab.com: REST API authentication'],
  [`-H "X-Vault-Token: «${WORD}»"`, 'developer.hashicorp.com: Vault API'],
  [`curl -u bot:«${WORD}» https://acme.dev`, 'gitleaks curl-auth-user'],
  [`curl -sSfu "bot:«${WORD}»" https://acme.dev`, 'gitleaks curl-auth-user'],
  [`curl --user bot:«${WORD}» https://acme.dev`, 'gitleaks curl-auth-user'],
  [`curl --user='bot:«${WORD}»' https://acme.dev`, 'gitleaks curl-auth-user'],
  [`curl --proxy-user bot:«hunter2» https://acme.dev`, 'curl.se: man page'],
  [`docker login -u bot -p «hunter2» ghcr.io`, 'docs.docker.com: docker login'],
  [`docker login -u bot -p="«hunter2»" ghcr.io`, 'docs.docker.com: docker login'],
  [`echo «hunter2» | docker login -u bot --password-stdin`, 'docs.docker.com: docker login'],
  [`echo "«${GENERATED}»" | gh auth login --with-token`, 'cli.github.com: gh auth login'],
  [`az login --service-principal -u app -p «${WORD}» --tenant x`, 'learn.microsoft.com: az login'],
  [`twine upload -u __token__ -p «${WORD}» dist/*`, 'twine.readthedocs.io'],
  [`helm registry login acme.dev -u bot --password «hunter2»`, 'helm.sh: helm registry login'],
  [`tool --password=«hunter2» run`, 'docs.docker.com: docker login'],
  [`tool --db-password "«two words»" run`, 'dev.mysql.com: command options'],
  [`tool --token «${WORD}» run`, 'gitleaks generic-api-key'],
  [`tool --access-token=«${WORD}» run`, 'gitleaks generic-api-key'],
  [`vercel deploy --token=«${WORD}»`, 'vercel.com: vercel deploy'],
  [`dotnet nuget push x --api-key «${WORD}»`, 'learn.microsoft.com: dotnet nuget push'],
  [`az ad sp --client-secret «${WORD}»`, 'learn.microsoft.com: az'],
  [`gpg --batch --passphrase «hunter2» --sign x`, 'gnupg.org: man page'],
  [`keytool -storepass «hunter2» -keypass «hunter3»`, 'docs.oracle.com: keytool'],
  [`mysql -h db -u root -p«hunter2» app`, 'dev.mysql.com: mysql'],
  [`mysqldump -uroot -p'«hunter2»' app`, 'dev.mysql.com: mysqldump'],
  [`sshpass -p «hunter2» ssh bot@acme.dev`, 'linux.die.net: sshpass'],
  [`redis-cli -h cache -a «hunter2» ping`, 'redis.io: redis-cli'],
  [`sqlcmd -S db -U sa -P «hunter2»`, 'learn.microsoft.com: sqlcmd'],
  [`7z a -p«hunter2» out.7z dist`, '7-zip.org: -p'],
  [`unzip -P «hunter2» in.zip`, 'infozip.sourceforge.net: unzip'],
  [`openssl enc -d -pass pass:«hunter2» -in x`, 'docs.openssl.org: pass phrase options'],
  [`openssl req -new -passin 'pass:«horse»' -key x`, 'docs.openssl.org: pass phrase options'],
  [`security unlock-keychain -p «hunter2» build.keychain`, 'ss64.com: security'],
  [`security set-key-partition-list -S apple: -k «hunter2» build.keychain`, 'ss64.com: security'],
  [`ConvertTo-SecureString "«hunter2»" -AsPlainText -Force`, 'learn.microsoft.com: ConvertTo-SecureString'],
  [`npm config set //registry.npmjs.org/:_authToken «${WORD}»`, 'docs.npmjs.com: npmrc'],
  [`//registry.npmjs.org/:_authToken=«${WORD}»`, 'docs.npmjs.com: npmrc'],
  [`echo "machine acme.dev login bot password «hunter2»" > ~/.netrc`, 'gnu.org: netrc'],
  [`printf 'machine acme.dev\\nlogin bot\\npassword «hunter2»\\n'`, 'gnu.org: netrc'],
  [`machine acme.dev\n  login bot\n  password «${WORD}»\n`, 'gnu.org: netrc'],
  [`<password>«hunter2»</password>`, 'maven.apache.org: settings'],
  [`<token>«${WORD}»</token>`, 'maven.apache.org: settings'],
  [`ENV DB_PASSWORD «hunter2»`, 'docs.docker.com: ENV'],
  [`ARG API_TOKEN «${WORD}»`, 'docs.docker.com: ARG'],
  [`{"auths":{"ghcr.io":{"auth":"«Ym90Om15cGFzc3dvcmQxMjM=»"}}}`, 'docs.docker.com: config.json'],
  [`DB_PASSWORD=«hunter2» npm test`, 'gitleaks generic-api-key'],
  [`PGPASSWORD='«hunter2»' psql`, 'postgresql.org: environment variables'],
  [`MYSQL_PWD=«hunter2» mysql app`, 'dev.mysql.com: environment variables'],
  [`DB_PASS=«hunter2»`, 'gitleaks generic-api-key'],
  [`export SMTP_PASS="«hunter2»"`, 'gitleaks generic-api-key'],
  [`GPG_PASSPHRASE=«hunter2»`, 'gitleaks generic-api-key'],
  [`KEY_PASSPHRASE: «two words»`, 'gitleaks generic-api-key'],
  [`SIGNING_KEY=«${HEX}»`, 'gitleaks generic-api-key'],
  [`ENCRYPTION_KEY: «${HEX}»`, 'gitleaks generic-api-key'],
  [`SECRET_KEY=«${WORD}»`, 'gitleaks generic-api-key'],
  [`JWT_SECRET: «correcthorsebattery»`, 'gitleaks generic-api-key'],
  [`API_TOKEN=«correcthorsebattery»`, 'gitleaks generic-api-key'],
  [`client_secret: '«${WORD}»'`, 'gitleaks generic-api-key'],
  [`echo "don't" && PASSWORD='«hunter2»' run`, 'gitleaks generic-api-key'],
  [`echo "{\\"password\\":\\"«hunter2»\\"}"`, 'gitleaks generic-api-key'],
  [`"apiKey": "«${WORD}»",`, 'gitleaks generic-api-key'],
  [`{\\"token\\": \\"«${GENERATED}»\\"}`, 'gitleaks generic-api-key'],
  [`const secret = '«${WORD}»';`, 'gitleaks generic-api-key'],
  [`secret := "«${WORD}»"`, 'gitleaks generic-api-key'],
  [`'token' => '«${WORD}»',`, 'gitleaks generic-api-key'],
  [`AWS_SECRET_ACCESS_KEY: «${GENERATED}/RaEoNiS»`, 'TruffleHog AWS'],
  [`password: "\${{ secrets.P || '«hunter2»' }}"`, 'docs.github.com: expressions'],
  [`DB_PASSWORD=\${DB_PASSWORD:-«hunter2»}`, 'gnu.org: shell parameter expansion'],
  [`  password: |\n    «hunter2»\n    «hunter3»\n  user: bot`, 'yaml.org: block scalars'],
  [`{ user: bot, password: «hunter2», x: 1 }`, 'yaml.org: flow mappings'],
  [`DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=«${BASE64}==»;X=y`, 'TruffleHog AzureStorage'],
  [`Endpoint=sb://acme.dev/;SharedAccessKeyName=Root;SharedAccessKey=«${GENERATED}=»`, 'TruffleHog AzureSasToken'],
  [`https://acme.blob.core.windows.net/x?sv=2024-01-01&sp=r&sig=«${GENERATED}%3D»&se=1`, 'TruffleHog AzureSasToken'],
  [`Server=db;User=sa;Password=«hunter2»;Encrypt=true`, 'TruffleHog SQLServer'],
  [`git clone https://bot:«hunter2»@acme.dev/x`, 'TruffleHog URI'],
  [`redis://:«hunter2»@cache:6379/0`, 'TruffleHog Redis'],
  [`postgres://app:«pa$$w0rd»@db/app`, 'TruffleHog Postgres'],
  [`mongodb+srv://app:«p#a?s&s»@db.acme.dev/app`, 'TruffleHog MongoDB'],
  [`amqp://app:«p@ss»@mq/x`, 'TruffleHog URI'],
  [`https://$BOT:«hunter2»@acme.dev`, 'TruffleHog URI'],
  [`https://\${{ github.actor }}:«hunter2»@acme.dev`, 'TruffleHog URI'],
  [`https://«${HEX.slice(0, 32)}»@sentry.acme.dev/1`, 'docs.sentry.io: DSN'],
  [`      «${BASE64}»`, 'RFC 7468'],
  [`      «${BASE64}»\n      «${GENERATED}==»\n      echo done`, 'RFC 7468'],
  [`      # «${BASE64}»`, 'RFC 7468'],
];

const READABLE = [
  'token: ${{ secrets.GITHUB_TOKEN }}',
  'token: ${{ secrets.A || github.token }}',
  "password: ${{ inputs.stage == 'production' && secrets.P || secrets.Q }}",
  'password: ${{ secrets.P }}',
  'PASSWORD=${{ secrets.P }} npm test',
  'password: $PASSWORD',
  'password: "${PASSWORD}"',
  'DB_PASSWORD="$(cat /run/secrets/db)"',
  'DB_PASSWORD=${DB_PASSWORD:-}',
  'GITHUB_TOKEN=$GITHUB_TOKEN',
  'echo "token=$(cat file)"',
  'curl -H "Authorization: Bearer $TOKEN" https://acme.dev',
  'curl -H "Authorization: Bearer ${{ steps.login.outputs.token }}" https://acme.dev',
  'curl -H "Authorization: token <token>" https://acme.dev',
  'curl -H "Authorization: Bearer ***"',
  'Bearer authentication and basic authentication are supported',
  'password: ***',
  'https://bot:***@acme.dev',
  'https://bot:<password>@acme.dev',
  'https://bot:$TOKEN@acme.dev/x',
  'https://x-access-token:${TOKEN}@github.com/acme/app',
  'https://x-access-token:${{ secrets.T }}@github.com/acme/app',
  'https://x-access-token:${{secrets.T}}@github.com/acme/app',
  'https://example.com:8080/path@x',
  'https://acme.dev/a?token=${{ secrets.T }}',
  'git clone git@github.com:acme/app.git',
  'ssh://git@github.com:22/acme/app',
  'docker://alpine:3.19@sha256:' + HEX,
  'image: ghcr.io/acme/app:1.2.3@sha256:' + HEX,
  'uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0',
  'uses: acme/token@08c6903cd8c0fde910a37f88322edcfb5dd907a8',
  '"integrity": "sha512-q8Zr2LmX7vT4nB9sKd3WfY6pHc5GjQ1uRaEoNiSxVzCyMtJkFbDgLwPhXr7T2Kv9ZmQ4sNd8q8Zr2LmX7vT4nA=="',
  '      --hash=sha256:' + HEX,
  `echo "${HEX}  tool.tar.gz" | sha256sum -c`,
  `      ${HEX}`,
  'tenant: 3f7a9c1e-5b8d-2046-af93-c7e1b5d8024a',
  'path: packages/backend/src/main/java/com/acme/service/v2/impl/Handler.java',
  '      packages/backend/src/main/java/com/acme/service/v2/implementation/HandlerFactory',
  "key: ${{ runner.os }}-node-${{ hashFiles('**/package-lock.json') }}",
  'key: v1-2024-linux-x64-abc123def456',
  'CACHE_KEY: v1-2024-linux-x64-abc123def456',
  'restore-keys: linux-node-',
  'docker login -u bot --password-stdin < token.txt',
  'echo "$TOKEN" | docker login -u bot --password-stdin',
  'tool --token "$TOKEN" --verbose',
  'tool --token ${{ secrets.T }}',
  'tool --token=$TOKEN',
  'tool --token --verbose',
  'tool --password-file secret.txt',
  'tool --token-type bearer',
  'docker build --secret id=npm,src=.npmrc .',
  'kubectl create --image-pull-secret=ghcr-auth',
  'curl -u user https://acme.dev',
  'curl -u "$USER:$PASSWORD" https://acme.dev',
  'git push -u origin main:main',
  'docker run -u 1000:1000 -v a:b alpine',
  'docker run --user node:node alpine',
  "date -u '+%Y-%m-%dT%H:%M:%SZ'",
  'mysql -u root -p app',
  'mysql -u root -p$PASSWORD app',
  'docker run --name mysql -p3306:3306 mysql',
  'docker login ghcr.io < ./path/to/file',
  'mkdir -p login/path',
  'id-token: write',
  'permissions: { id-token: write, contents: read }',
  'secrets: inherit',
  'secret: true',
  'token:',
  'token: ""',
  'max_tokens: 4096',
  'server-password: MAVEN_PASSWORD',
  'secret: my-tls-secret',
  'tokenizer: model/tokenizer-v2.json',
  'token_file: /var/run/token',
  'private_key: ./keys/signing.pem',
  'const token = process.env.GITHUB_TOKEN;',
  'const token = core.getInput("token");',
  'password = input("Password? ")',
  'const token = answer.data.value;',
  'grep "password=" settings.txt "$FILE"',
  'Set `DB_PASS=` (see `docs`).',
  'if [ "$TOKEN" == "" ]; then',
  'token === undefined',
  'if: github.event.inputs.token != null',
  'PWD=/workdir',
  'pass=$((pass + 1))',
  'echo "Pass: 12, fail: 3"',
  'bypass: true',
  'author: somebody-with-a-long-name-2024',
  '  password authentication is disabled',
  'No timeout for the job all-pass: a hanging step occupies a runner for up to six hours.',
  'No timeout for the job reset-password: a hanging step occupies a runner for up to six hours.',
  'Keep the token: whoever reads it can publish.',
  'This secret: anyone with write access reads it.',
  'A task-runner-with-a-long-name-for-sk-learn',
];

describe('redact', () => {
  it.each(CREDENTIAL_SAMPLES)('hides the form of $name ($source) wherever it stands', ({ value }) => {
    for (const [before, after] of [
      ['run: tool ', ' run'],
      ['x = "', '"'],
      ['curl -H "x: ', '" https://acme.dev'],
      ['(', ')'],
      ['', ''],
    ]) {
      expect(redact(`${before}${value}${after}`)).toBe(`${before}${REDACTED}${after}`);
    }
  });

  it.each(PLACES)('hides the value alone in %j (%s)', (marked) => {
    expect(redact(marked.replace(/[«»]/g, ''))).toBe(marked.replace(/«[^»]*»/g, REDACTED));
  });

  it.each(READABLE)('leaves %j readable', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('changes nothing more when applied to its own result', () => {
    for (const [marked] of PLACES) {
      const once = redact(marked.replace(/[«»]/g, ''));
      expect(redact(once)).toBe(once);
    }
  });

  it('leaves the texts of all rules readable', () => {
    for (const { meta } of rules) {
      for (const text of [meta.title, meta.why, meta.attack, meta.recommendation, ...Object.values(meta.messages)]) {
        if (text !== undefined) expect(redact(text)).toBe(text);
      }
    }
  });

  it.each([
    ['a word', 'a'],
    ['keys', 'token: '],
    ['options', '--password '],
    ['addresses', '://a:'],
    ['a user and a password', ' -u a:b'],
    ['headers', 'authorization: bearer '],
    ['commands', 'login mysql zip 7z '],
    ['beginnings of formats', 'eyJaaaaaaaaaa-'],
    ['lines of base64', `${BASE64}\n`],
    ['block scalars', 'password: |\n '],
    ['open quotes', 'password: "'],
    ['open expressions', 'password: ${{ '],
    ['references without an end', 'token=$'],
  ])('takes time in proportion to the length of %s', (_, unit) => {
    const text = unit.repeat(256_000 / unit.length);
    expect(leastCpuTimeOf(2_000, () => redact(text))).toBeLessThan(2_000);
  });
});
