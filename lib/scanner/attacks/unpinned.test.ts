import { describe } from 'vitest';
import {
  CALLED,
  composite,
  jobs,
  LOCAL,
  main,
  missed,
  row,
  type StepLike,
  testSuite,
  workflow,
} from '../../../tests/support/attack-rows.ts';

const HASH = '8e5e7e5ab8b370d6c329ec480221332ada57f0ab';
const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;
const TOKEN = { TOKEN: '${{ secrets.DEPLOY_TOKEN }}' };

const job = (...steps: StepLike[]): string => workflow('push', steps, { env: TOKEN });
const runs = (name: string, run: string, rest: object = {}): ReturnType<typeof row> => row(name, job({ run, ...rest }));
const uses = (name: string, ref: string, inputs?: object): ReturnType<typeof row> =>
  row(name, job({ uses: ref, ...(inputs ? { with: inputs } : {}) }));

const ACTIONS = [
  uses('an action at a tag', 'other/deploy@v1'),
  uses('an action at a version', 'other/deploy@v1.2.3'),
  uses('an action at main', 'other/deploy@main'),
  uses('an action at a channel', 'other/deploy@stable'),
  uses('an action at a full ref', 'other/deploy@refs/heads/main'),
  uses('an action at a short hash', 'other/deploy@8e5e7e5'),
  uses('an action in a folder', 'other/tools/deploy@v1'),
  uses('an image by its tag', 'docker://other/deploy:1'),
  uses('an image without a tag', 'docker://other/deploy'),
  row(
    'a called workflow at a tag',
    jobs('push', { a: { uses: 'other/ci/.github/workflows/x.yml@v1', secrets: 'inherit' } }),
  ),
  row('an action in a local composite', main(job({ uses: LOCAL }), composite([{ uses: 'other/deploy@v1' }]))),
  row(
    'an action in a called workflow',
    main(jobs('push', { a: { uses: CALLED, secrets: 'inherit' } }), {
      [CALLED.slice(2)]: workflow('workflow_call', [{ uses: 'other/deploy@v1' }], { env: TOKEN }),
    }),
  ),
  row(
    'an action shared by a YAML anchor',
    'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - &deploy { uses: other/deploy@v1, env: { TOKEN: "${{ secrets.T }}" } }\n  b:\n    runs-on: ubuntu-latest\n    steps: [*deploy]\n',
  ),
  row('the image of a job', workflow('push', ['make'], { env: TOKEN, container: 'node:latest' })),
  row('the image of a service', workflow('push', ['make'], { env: TOKEN, services: { db: { image: 'redis' } } })),
  row(
    'the image of a job from a matrix',
    workflow('push', ['make'], {
      env: TOKEN,
      container: '${{ matrix.i }}',
      strategy: { matrix: { i: ['node:latest'] } },
    }),
  ),
];

const PACKAGES = [
  runs('npx of another’s tool', 'npx other-tool deploy'),
  runs('npx that asks nothing', 'npx --yes other-tool@latest deploy'),
  runs('npm exec', 'npm exec other-tool -- deploy'),
  runs('pnpm dlx', 'pnpm dlx other-tool'),
  runs('yarn dlx', 'yarn dlx other-tool'),
  runs('bunx', 'bunx other-tool'),
  runs('npm install of a tool', 'npm install -g other-tool'),
  runs('yarn global', 'yarn global add other-tool'),
  runs('pip', 'pip install other-tool'),
  runs('pip as a module', 'python3 -m pip install --upgrade other-tool'),
  runs('pipx', 'pipx run other-tool'),
  runs('uvx', 'uvx other-tool'),
  runs('uv tool', 'uv tool install other-tool'),
  runs('a plugin of Poetry', 'poetry self add other-plugin\npoetry publish'),
  runs('a plugin of PDM', 'pdm self add other-plugin'),
  runs('a plugin beside a tool of pipx', 'pipx inject poetry other-plugin'),
  runs('gem', 'gem install other-tool'),
  runs('cargo', 'cargo install other-tool'),
  runs('cargo from a repository', 'cargo install --git https://github.com/other/tool'),
  runs('cargo from a branch', 'cargo install --git=https://github.com/other/tool --branch main --locked'),
  runs('go', 'go install example.com/other/tool@latest'),
  runs('go run', 'go run example.com/other/tool@latest'),
  runs('a .NET tool', 'dotnet tool install -g other-tool'),
  runs('composer', 'composer global require other/tool'),
  runs('a tap of Homebrew', 'brew install other/tap/tool'),
  runs('a tap of Homebrew in two lines', 'brew tap other/tap\nbrew install tool'),
  runs('a flake of Nix', 'nix run github:other/tool'),
  runs('a shell of Nix', 'nix shell github:other/tool -c tool'),
  runs('deno from a registry', 'deno run -A npm:other-tool'),
  runs('a package source', 'sudo add-apt-repository ppa:other/tools\nsudo apt-get install tool'),
  runs('an extension of gh', 'gh extension install other/gh-tool\ngh tool'),
  runs('a plugin of kubectl', 'kubectl krew install other-tool'),
  runs('a module of PowerShell', 'Install-Module other -Force', { shell: 'pwsh' }),
  runs('a package of conda', 'conda install -y -c other other-tool'),
  missed('az gets its extensions from its own vendor', runs('an extension of az', 'az extension add --name other')),
  runs('a Helm chart', 'helm repo add other https://charts.example\nhelm upgrade --install x other/x'),
];

const DOWNLOADS = [
  runs('curl into a shell', 'curl -sSL https://get.example.com | bash'),
  runs(
    'an archive whose program runs beside it',
    'curl -sL https://dl.example.com/latest/tool-linux.tgz | tar xz\n./tool deploy',
  ),
  runs('curl into a shell as root', 'curl -sSL https://get.example.com/x.sh | sudo -E bash -s -- -y'),
  runs('wget into a shell', 'wget -qO- https://get.example.com/x.sh | sh'),
  runs('a shell with a substitution', 'bash -c "$(curl -fsSL https://get.example.com/x.sh)"'),
  runs('a process substitution', 'bash <(curl -s https://get.example.com/x.sh)'),
  runs('a sourced process substitution', 'source <(curl -s https://get.example.com/x.sh)'),
  runs('eval of a download', 'eval "$(curl -s https://get.example.com/x.sh)"'),
  runs('eval of a variable', 'x=$(curl -s https://get.example.com/x.sh)\neval "$x"'),
  runs('a here-string of a variable', 'x="$(curl -s https://get.example.com/x.sh)"\nbash <<< "$x"'),
  runs('a saved script', 'curl -o x.sh https://get.example.com/x.sh\nbash x.sh'),
  runs('a saved script that is made executable', 'curl -LO https://get.example.com/x.sh\nchmod +x x.sh\n./x.sh'),
  runs('a saved script with wget', 'wget https://get.example.com/x.sh && sh x.sh'),
  runs(
    'a program in a folder of programs',
    'curl -L https://get.example.com/x -o /usr/local/bin/x\nchmod +x /usr/local/bin/x',
  ),
  runs(
    'an archive unpacked into a folder of programs',
    'curl -L https://get.example.com/x.tgz | sudo tar xz -C /usr/local/bin',
  ),
  runs('an archive whose installer runs', 'curl -L https://get.example.com/x.tgz | tar xz\n./x/install.sh'),
  row(
    'an archive whose installer a later step runs',
    job('curl -L https://get.example.com/x.tgz | tar xz', './x/install.sh'),
  ),
  row('a script that a later step runs', job('curl -o x.sh https://get.example.com/x.sh', 'bash x.sh')),
  row(
    'a program that a step far below runs',
    job(
      'wget https://get.example.com/continuous/x.AppImage',
      ...Array.from({ length: 20 }, (_, index) => `make part${index}`),
      'chmod +x *.AppImage\n./x.AppImage',
    ),
  ),
  runs('Python of a download', 'curl -sSL https://get.example.com/x.py | python3 -'),
  runs('Node.js of a download', 'curl -sSL https://get.example.com/x.js | node'),
  runs('a module of Deno by its address', 'deno run -A https://get.example.com/x.ts'),
  runs('Invoke-Expression', 'iex ((New-Object Net.WebClient).DownloadString("https://get.example.com/x.ps1"))', {
    shell: 'pwsh',
  }),
  runs('Invoke-RestMethod', 'irm https://get.example.com/x.ps1 | iex', { shell: 'pwsh' }),
  runs('Invoke-WebRequest in two lines', 'Invoke-WebRequest https://get.example.com/x.exe -OutFile x.exe\n.\\x.exe', {
    shell: 'pwsh',
  }),
  runs(
    'Invoke-WebRequest and Start-Process',
    'Invoke-WebRequest -Uri https://get.example.com/x.exe -OutFile x.exe\nStart-Process -Wait x.exe',
    { shell: 'pwsh' },
  ),
  runs('a clone whose installer runs', 'git clone https://github.com/other/tool\n./tool/install.sh'),
  runs('a clone that is built', 'git clone --depth 1 https://github.com/other/tool x\ncd x && make install'),
  row(
    'a checkout whose installer runs',
    job({ uses: 'actions/checkout@v4', with: { repository: 'other/tool', path: 'tool' } }, './tool/install.sh'),
  ),
  runs('a manifest of a branch', 'kubectl apply -f https://raw.githubusercontent.com/other/tool/main/x.yaml'),
  runs('an image that docker runs', 'docker run -e TOKEN other/tool'),
  runs('an address in a variable', 'URL=https://get.example.com/x.sh\ncurl -s "$URL" | bash'),
  runs('a download in a function', 'get() { curl -sf "$@"; }\nget https://get.example.com/x.sh | bash'),
  runs('a download in a batch script', 'curl -o x.exe https://get.example.com/x.exe\nx.exe', { shell: 'cmd' }),
  runs('an unencrypted download', 'curl -s http://get.example.com/x.sh | sh'),
  runs('a subprocess of Python', 'import os\nos.system("curl -s https://get.example.com/x.sh | bash")', {
    shell: 'python',
  }),
  row(
    'a download in a composite',
    main(job({ uses: LOCAL }), composite(['curl -s https://get.example.com/x.sh | bash'])),
  ),
];

const NEAR = [
  uses('an action at a hash', `other/deploy@${HASH}`),
  uses('an image by its digest', `docker://other/deploy@${DIGEST}`),
  uses('a local action', './.github/actions/x'),
  row('the image of a job by its digest', workflow('push', ['make'], { env: TOKEN, container: `node@${DIGEST}` })),
  runs(
    'an archive beside a script of the repository',
    'curl -sL https://dl.example.com/latest/data-linux.tgz | tar xz\n./deploy.sh',
  ),
  runs('npm ci', 'npm ci'),
  runs('npx without installing', 'npx --no-install other-tool'),
  runs('a script of the package', 'npm run build'),
  runs('pip with hashes', 'pip install --require-hashes -r requirements.txt'),
  runs('a plugin of this folder', 'poetry self add ./plugins/own'),
  runs('what a lockfile names', 'poetry install --no-root'),
  runs('a package of this folder', 'pip install .'),
  runs('a wheel of this run', 'pip install dist/x.whl'),
  runs('go install of this module', 'go install ./...'),
  runs(
    'cargo from a commit',
    'cargo install --locked --git https://github.com/other/tool --rev 8e5e7e5ab8b370d6c329ec480221332ada57f0ab',
  ),
  runs('cargo with a lockfile', 'cargo install --path . --locked'),
  runs('a formula of Homebrew itself', 'brew install jq'),
  runs('packages of the distribution', 'sudo apt-get update && sudo apt-get install -y jq'),
  runs('a download that is data', 'curl -s https://api.example.com/x.json | jq .v'),
  runs('a saved download that is data', 'curl -o x.json https://api.example.com/x.json\ncat x.json'),
  runs(
    'a download whose hash is checked',
    `curl -o x.sh https://get.example.com/x.sh\necho "${'0'.repeat(64)}  x.sh" | sha256sum -c\nbash x.sh`,
  ),
  runs(
    'a download whose signature is checked',
    'curl -O https://get.example.com/x.sh\ncurl -O https://get.example.com/x.sh.asc\ngpg --verify x.sh.asc x.sh\nbash x.sh',
  ),
  runs('a request to the job’s own server', 'curl -s http://localhost:8080/x.sh | bash'),
  runs('a printed command', 'echo "curl https://get.example.com | bash"'),
  runs('a comment', '# curl https://get.example.com | bash\nmake'),
  row('npx after the packages of the project', job('npm ci', 'npx other-tool deploy')),
  row(
    'npx after an action that installs',
    job({ uses: 'acme/install@8e5e7e5ab8b370d6c329ec480221332ada57f0ab' }, 'npx other-tool'),
  ),
  runs('packages of conda itself', 'conda install -y -c conda-forge numpy'),
  runs('a chart of the repository', 'helm upgrade --install x charts/x'),
  runs(
    'a chart with a version',
    'helm repo add other https://charts.example\nhelm upgrade --install x other/x --version 1.2.3',
  ),
  runs(
    'a clone at a commit',
    'git clone https://github.com/other/tool\ncd tool\ngit checkout 8e5e7e5ab8b370d6c329ec480221332ada57f0ab\nmake',
  ),
  runs(
    'a clone at a revision',
    'git clone --revision=8e5e7e5ab8b370d6c329ec480221332ada57f0ab https://github.com/other/tool\ncd tool\nmake',
  ),
  runs('a system program beside a clone', 'git clone https://github.com/other/data\ncd data\n/usr/bin/wc -l x.csv'),
  runs('a clone beside a build', 'git clone https://github.com/other/data\nmake report'),
  runs(
    'a saved file that PowerShell reads',
    'Invoke-WebRequest https://get.example.com/x.json -OutFile x.json\nGet-Content x.json',
    { shell: 'pwsh' },
  ),
  runs('a request with data', 'curl -X POST -d @report.json https://hooks.example.com/x'),
  runs('a manifest of the repository', 'kubectl apply -f deploy/x.yaml'),
  runs('a clone that is read', 'git clone https://github.com/other/data\nwc -l data/*.csv'),
  runs('a flake of the repository', 'nix build .#x'),
  runs('an image of this run', 'docker build -t app .\ndocker run app'),
];

describe('unpinned code', () => {
  testSuite({
    rules: [
      'unpinned-uses',
      'unpinned-images',
      'unpinned-tools',
      'adhoc-packages',
      'unverified-script-exec',
      'insecure-url-scheme',
      'transitive-unpinned-uses',
    ],
    atLeast: 'LOW',
    attacks: [...ACTIONS, ...PACKAGES, ...DOWNLOADS],
    nearMisses: NEAR,
  });
});
