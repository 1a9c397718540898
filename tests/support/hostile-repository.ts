const CONTROLS = /[\u0007\u001B\u009B]/g;

function files(): Record<string, string> {
  const commands = [
    '::set-output name=verdict::clean',
    '::stop-commands::0123456789',
    '##[set-output name=verdict]clean',
    '##vso[task.setvariable variable=verdict]clean',
  ];
  const steering = '\u001B]0;pwned\u0007\u001B[2J\u009B2J\u202E\u200B\u{E0041}\u3164\u{1D173}\uFE0F';
  const markup =
    '`<img src=x onerror=alert(1)> [approve](https://evil.example/a) ![x](https://evil.example/i.png) @admin #1 GH-2 https://evil.example www.evil.example mail@evil.example owner/repo#3 &lt;b&gt; &#64;team # x';
  const all = [...commands, steering, markup];
  const entries: [string, string][] = [];
  for (const root of ['plain', ...[commands[0] ?? '', `##[add-mask]y\n${steering}`, markup].map(fileName)]) {
    for (const [index, each] of all.entries()) {
      const payload = [each, ...all].join('\n');
      const name = `${index}\n${fileName(each)}\n## heading\nb.yml`;
      entries.push([`${root}/.github/workflows/${name}`, workflow(each, payload)]);
      entries.push([`${root}/${fileName(each)}/action.yml`, action(each)]);
    }
    entries.push([`${root}/.github/chainbreak.yml`, config(all)]);
  }
  return Object.fromEntries(entries);
}

function workflow(one: string, payload: string): string {
  const [line] = one.replace(CONTROLS, '').split('\n');
  return `name: ${quoted(payload)}
on:
  pull_request_target:
    types: [${quoted(`opened\n${payload}`)}]
jobs:
  a:
    name: ${quoted(payload)}
    runs-on: ubuntu-24.04
    container: ${quoted(one)}
    environment: ${quoted(payload)}
    steps:
      - uses: actions/checkout@v5
        with:
          allow-unsafe-pr-checkout: true
          ref: \${{ github.event.pull_request.head.sha }} # ${line}
      - run: npm ci && npm test && echo \${{ github.head_ref }} # ${line}
      - run: |
          ${line}
          echo "\${{ github.event.pull_request.title }}" ${line}
          ${line}
      - uses: ${quoted(`evil/${one}@main`)}
        env: { TOKEN: "\${{ secrets.TOKEN }}" }
      # chainbreak: ignore[template-injection] ${line}
      - run: echo \${{ github.head_ref }}
      # chainbreak: ignore[${line?.replaceAll(']', '')}] x
      - run: echo \${{ github.head_ref }}
`;
}

function config(payloads: readonly string[]): string {
  const entry = (rule: string, reason: string): string => `  - rule: ${quoted(rule)}\n    reason: ${quoted(reason)}\n`;
  const reason = payloads.join('\n');
  return `ignore:\n${[...payloads, 'excessive-permissions'].map((rule) => entry(rule, reason)).join('')}`;
}

function action(name: string): string {
  return `name: ${quoted(name)}
description: x
inputs: { title: { description: x } }
runs:
  using: composite
  steps:
    - shell: bash
      run: echo "\${{ inputs.title }} \${{ github.event.issue.title }}" # ##[add-mask]x
`;
}

/** A slash would create a folder, and names are limited to 255 bytes. */
function fileName(text: string): string {
  return text.replaceAll('/', '∕').slice(0, 75);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[^\x20-\x7E]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export const HOSTILE_REPOSITORIES: Readonly<Record<string, string>> = files();

export const HOSTILE_REPOSITORY: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(HOSTILE_REPOSITORIES).flatMap(([path, text]) =>
    path.startsWith('plain/') ? [[path.slice('plain/'.length), text]] : [],
  ),
);
