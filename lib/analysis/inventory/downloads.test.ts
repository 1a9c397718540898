import { expect, it } from 'vitest';
import { stepsOf } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { leastCpuTimeOf } from '../../../tests/support/cpu-time.ts';
import { hostOf, remoteCodeOf } from './downloads.ts';

function found(script: string, shell = 'bash'): string[] {
  const text = `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    env: { BASE: https://env.example.com }\n    steps:\n      - shell: ${shell}\n        run: |\n${script
    .split('\n')
    .map((line) => `          ${line}`)
    .join('\n')}\n`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return workflows
    .flatMap((workflow) => Array.from(stepsOf(workflow)))
    .flatMap(remoteCodeOf)
    .map(({ kind, url, runner, insecure }) => `${kind} ${url ?? '?'} ${runner}${insecure ? ' insecure' : ''}`);
}

it.each([
  ['curl -sSf https://a.example/i.sh | sh -s -- -y', ['piped https://a.example/i.sh sh']],
  ['curl -sSf https://a.example/i.sh | tee i.log | sudo -E bash -', ['piped https://a.example/i.sh bash']],
  ['curl https://a.example/i.sh | bash /dev/stdin 3.8.6', ['piped https://a.example/i.sh bash']],
  ['curl a.example/i.sh -sSf | sh', ['piped https://a.example/i.sh sh']],
  ['URL=https://a.example\ncurl "$URL/i.sh" | sh', ['piped https://a.example/i.sh sh']],
  ['curl "${BASE}/i.sh" | sh', ['piped https://env.example.com/i.sh sh']],
  ['curl "$1" | sh', ['piped ? sh']],
  ['source <(curl -s https://a.example/env)', ['piped https://a.example/env source']],
  ['python3 -c "$(curl -s https://a.example/x.py)"', ['piped https://a.example/x.py python3']],
  ['curl -o a https://a.example/a\nchmod 0755 a', ['saved https://a.example/a a']],
  ['curl -o a.js https://a.example/a.js\nnode --check a.js && node a.js', ['saved https://a.example/a.js a.js']],
  ['curl -o a.sh https://a.example/a.sh\nbash -ex a.sh', ['saved https://a.example/a.sh a.sh']],
  ['curl https://a.example/a > /tmp/a.sh\ncd /tmp && bash a.sh', ['saved https://a.example/a /tmp/a.sh']],
  ['wget https://a.example/b.deb\nsudo apt-get install -y ./b.deb', ['saved https://a.example/b.deb b.deb']],
  [
    'curl -LO https://a.example/t.zip\nunzip t.zip\nsudo mv t /usr/local/bin',
    ['unpacked https://a.example/t.zip unzip'],
  ],
  [
    'curl -o a https://a.example/a\ncurl -o b https://b.example/b\necho "$SUM  a" | sha256sum -c -\nchmod +x a b',
    ['saved https://b.example/b b'],
  ],
  [
    'curl -o "$A" https://a.example/a\ncurl -o "$B" https://b.example/b\nprintf "%s  %s\\n" "$SUM" "${A}" | sha256sum -c\nbash "$B"',
    ['saved https://b.example/b $B'],
  ],
  [
    'wget https://a.example/a\n[ "$(shasum -a 256 a | cut -c1-64)" = "$SUM" ] || exit 1\nchmod +x a\ncurl https://b.example/b.tgz | tar xz -C /usr/local/bin',
    ['unpacked https://b.example/b.tgz tar'],
  ],
  ['wget -qO- http://a.example/i.sh | sh', ['piped http://a.example/i.sh sh insecure']],
  ['curl ${{ env.BASE }}/i.sh | sh', ['piped https://env.example.com/i.sh sh']],
  ['wget -q ${{ env.BASE }} -O b && chmod +x b', ['saved https://env.example.com b']],
])('finds the remote code of %j', (script, expected) => {
  expect(found(script)).toEqual(expected);
});

it.each([
  'curl https://a.example/x.json | jq .',
  'curl https://a.example/x.json | python3 -c "import sys"',
  'curl https://a.example/x.json | python3 scripts/read.py',
  'curl https://a.example/x.json | node -e "1"',
  'curl https://a.example/x.json | bash scripts/read.sh',
  'curl https://a.example/list | while read -r name; do bash build.sh "$name"; done',
  'curl https://a.example/list | python3 - <<EOF\nprint(1)\nEOF',
  'X=$(curl https://a.example/version); echo "$X"',
  'bash build.sh "$(curl https://a.example/version)"',
  'curl -o a https://a.example/a\nsha256sum -c sums\nchmod +x a',
  'curl -o a https://a.example/a\ncurl -o b https://a.example/b\ncurl -o SHA256SUMS https://a.example/SHA256SUMS\nsha256sum -c SHA256SUMS\nchmod +x a b',
  'curl -o a https://a.example/a\ncurl -o b https://b.example/b\nfor f in a b; do sha256sum -c "$f.sha256"; done\nchmod +x a b',
  'curl -o a https://a.example/a\ncurl -o b https://b.example/b\nsha256sum -c a.sha256\ncosign verify-blob b --bundle b.bundle\nchmod +x a b',
  'curl -o a.json https://a.example/a\ncat a.json',
  'curl -o a.js https://a.example/a.js\nnode --check a.js',
  'curl -o a.sh https://a.example/a.sh\nbash -n a.sh',
  'curl -o a.rb https://a.example/a.rb\nruby -wc a.rb',
  'curl -o a.php https://a.example/a.php\nphp -l a.php',
  'curl -LO https://a.example/t.zip\nunzip t.zip -d data',
  'curl -s http://127.0.0.1:8080/i.sh | sh',
  'curl -s http://registry:5000/i.sh | sh',
  'echo "curl https://a.example/i.sh | sh"',
])('finds no remote code in %j', (script) => {
  expect(found(script)).toEqual([]);
});

it('reads PowerShell line by line', () => {
  expect(
    found('# irm https://a.example/0 | iex\nirm https://a.example/1 | iex\nirm https://a.example/2', 'pwsh'),
  ).toEqual(['piped https://a.example/1 Invoke-Expression']);
});

it('returns a host only if it is literal', () => {
  expect(hostOf('https://user@A.example:8443/x')).toBe('a.example');
  expect(hostOf('https://$HOST/x')).toBeUndefined();
  expect(hostOf('a.example/x')).toBeUndefined();
});

it.each([
  ['many downloads', 'curl https://a.example/i.sh -o x\n'.repeat(6_000)],
  ['many checks', `${'curl -o a u.example/a\n'.repeat(90)}${'sha256sum a | '.repeat(8_000)}cat`],
  ['one long pipeline', `curl u.example/${' | curl u.example/'.repeat(8_000)}`],
  ['values that multiply', `${'A=$B$B$B$B\nB=$C$C$C$C\n'.repeat(500)}${'curl "$A$B$C"\n'.repeat(500)}`],
  ['one file moved on and on', `curl -o x u.example/\n${'mv x y\nmv y x\n'.repeat(5_000)}`],
  ['a long address', `curl https://a.example/${'1'.repeat(150_000)} | sh`],
])('is fast with %s', (_, script) => {
  const spent = leastCpuTimeOf(2_000, () => {
    found(script);
  });
  expect(spent).toBeLessThan(2_000);
});

it.each([
  ['job: { URL: "https://a.example/t-1.2.3" }', 'curl -o t ${{ env.URL }}', 'https://a.example/t-1.2.3'],
  ['job: { V: "1.2.3", URL: "https://a.example/${{ env.V }}" }', 'curl -o t "$URL"', 'https://a.example/1.2.3'],
  ['matrix: { v: ["1.2.3", "1.3.0"] }', 'curl -o t https://a.example/${{ matrix.v }}', 'https://a.example/1.2.3'],
  ['matrix: { v: ["1.2.3", latest] }', 'curl -o t https://a.example/${{ matrix.v }}', 'https://a.example/latest'],
  ['matrix: { include: [{ at: "https://a.example/1.2.3" }] }', 'curl -o t ${{ matrix.at }}', 'https://a.example/1.2.3'],
  ['matrix: { v: ["1.2.3"] }', 'V=${{ matrix.v }}\ncurl -o t "https://a.example/$V"', 'https://a.example/1.2.3'],
  ['before: echo "V=1.2.3" >> "$GITHUB_ENV"', 'curl -o t "https://a.example/$V"', 'https://a.example/1.2.3'],
  ['before: echo "V=$(date)" >> "$GITHUB_ENV"', 'curl -o t "https://a.example/$V"', 'https://a.example/$V'],
  ['before: V=1.2.3', 'curl -o t "https://a.example/$V"', 'https://a.example/$V'],
])('with %s, reads the address of %j as %s', (given, script, url) => {
  const [kind = '', value = ''] = given.split(/: ([^\n]*)/);
  const text = `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    strategy: { matrix: ${kind === 'matrix' ? value : '{ a: [b] }'} }
    env: ${kind === 'job' ? value : '{}'}
    steps:
      - run: |
          ${kind === 'before' ? value : 'make'}
      - run: |
${script
  .split('\n')
  .map((line) => `          ${line}\n`)
  .join('')}          chmod +x t
`;
  const { workflows } = createRepository([{ path: '.github/workflows/a.yml', text }]);
  const codes = workflows.flatMap((workflow) => Array.from(stepsOf(workflow))).flatMap(remoteCodeOf);
  expect(codes.map((code) => code.url)).toEqual([url]);
});
