import { NO_FACTS } from '#lib/facts/facts.ts';
import { hardenFile } from '#lib/hardener/harden.ts';
import { createRepository } from '#lib/workflow/repository.ts';

const PATH = '.github/workflows/ci.yml';
const RUNS = 100;

export function benchHardener(): void {
  const usual = usualWorkflow();
  const times = Array.from({ length: RUNS }, () => measure(usual)).sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.ceil(RUNS * share) - 1] ?? 0).toFixed(0);
  process.stdout.write(`hardener, ${usual.split('\n').length} lines: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms\n`);
  const greatest = workflow((text) => text.length < 255 * 1024);
  const best = Math.min(measure(greatest), measure(greatest));
  process.stdout.write(`hardener, ${Math.round(greatest.length / 1024)} KiB: ${(best / 1_000).toFixed(1)} s\n\n`);
}

function measure(text: string): number {
  const commit = '1'.repeat(40);
  const tags = new Map([
    ['v4', commit],
    ['v4.4.9', commit],
  ]);
  const actions = new Map(ACTIONS_USED.map((name) => [name, { branches: new Map(), tags }]));
  const start = performance.now();
  const repository = createRepository([{ path: PATH, text }], undefined, { partial: true });
  hardenFile(repository, PATH, { facts: { ...NO_FACTS, network: { value: { actions } } } });
  return performance.now() - start;
}

export const ACTIONS_USED = ['actions/checkout', 'actions/setup-node', 'actions/upload-artifact'];

export function usualWorkflow(): string {
  return workflow((text) => text.split('\n').length < 300);
}

export function workflow(goesOn: (text: string) => boolean): string {
  let text = 'name: Build\non: [push, pull_request_target]\njobs:\n';
  for (let index = 0; goesOn(text); index += 1) text += job(index);
  return text;
}

function job(index: number): string {
  return `  job${index}:
    name: Job ${index}
    runs-on: ubuntu-latest
    strategy:
      matrix:
        node: [22, 24]
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: \${{ matrix.node }}
      - name: Say hello
        run: |
          echo "hello \${{ github.event.pull_request.title }}"
          echo '\${{ github.event.pull_request.user.login }}'
      - name: Build and test
        run: |
          # Everything that is built here is tested at once, and what fails is reported at the end.
          npm ci --no-audit --no-fund --loglevel=error --prefer-offline --cache=/tmp/npm-cache-of-this-job
          npm run build -- --mode=production --out-dir=dist/packages/part-${index} --report=reports/build-${index}.json
          npm test -- --shard=${index} --reporter=junit --output=reports/test-${index}.xml --coverage --silent
        env:
          NODE_OPTIONS: --max-old-space-size=4096 --unhandled-rejections=strict --enable-source-maps
          REPORTS: reports/of/this/job/number/${index}/and/of/no/other/one/that/runs/at/the/same/time
      - uses: actions/upload-artifact@v4
        with:
          name: dist-${index}
          path: |
            dist
            !dist/**/*.map
            reports
`;
}
