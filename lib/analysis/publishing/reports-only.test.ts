import { expect, test } from 'vitest';
import type { Job } from '#lib/workflow/model/model.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { releasing, reportsOnly } from './reports-only.ts';

function ofJob(steps: string, id = 'site'): boolean {
  const text = `on: push\njobs:\n  ${id}:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }]);
  return reportsOnly(repository.workflows[0]?.jobs[0] as Job, repository);
}

const step = (text: string): string => `      - ${text}\n`;

test.each([
  ['{ uses: burnett01/rsync-deployments@v9, with: { path: docs/_site/, remote_host: a.example } }'],
  ['{ uses: samkirkland/ftp-deploy-action@v4, with: { local-dir: ./documentation/html/ } }'],
  ['{ uses: peaceiris/actions-gh-pages@v4, with: { publish_dir: target/doxygen } }'],
  ['run: aws s3 sync docs/_build/html s3://bucket'],
  ['run: gsutil -m rsync -r ./website/docs gs://bucket'],
  ['run: rsync -a build/javadoc/ deploy@example.com:/srv/site'],
  ['run: netlify deploy --prod --dir=docs/build'],
  ['run: aws s3 cp --recursive .benchmarks s3://bucket'],
])('%s copies documentation, whatever the job is called', (text) => {
  expect(ofJob(step(text))).toBe(true);
});

test.each([
  ['{ uses: burnett01/rsync-deployments@v9, with: { path: dist/, remote_host: docs.example } }'],
  ['{ uses: samkirkland/ftp-deploy-action@v4, with: { server: docs.example } }'],
  ['run: aws s3 sync dist s3://docs/site'],
  ['run: aws s3 cp dockerfiles/a s3://bucket'],
  ['run: aws s3 sync dist s3://results/benchmarks'],
  ['run: rsync -a build/ deploy@example.com:/srv/docs/'],
  ['run: terraform -chdir=docs/infra apply'],
])('%s copies something else', (text) => {
  expect(ofJob(step(text))).toBe(false);
});

test('one more deployment, or a package, is more than documentation', () => {
  const docs = step('run: aws s3 sync docs/html s3://bucket');
  expect(ofJob(docs + step('run: aws s3 sync app s3://bucket'))).toBe(false);
  expect(ofJob(docs + step('run: npm publish'))).toBe(false);
  expect(ofJob(step('run: npm publish'), 'docs')).toBe(false);
});

test.each([
  ['publish-test-results', true],
  ['test_reports', true],
  ['junit-report', true],
  ['allure', true],
  ['mdbook', true],
  ['book-site', true],
  ['facebook', false],
  ['publish-results', false],
  ['test-site', false],
  ['latest-reports', false],
])('the site of the job %s shows results only: %s', (id, expected) => {
  expect(ofJob(step('{ uses: actions/deploy-pages@v4 }'), id)).toBe(expected);
});

test.each([
  ['reports/htmlcov', true],
  ['./coverage/lcov-report', true],
  ['docs/_build/html', true],
  ['playwright-report/', true],
  ['dist', false],
  ['discoverage', false],
])('a site made of %s shows results or documentation: %s', (path, expected) => {
  const upload = step(`{ uses: actions/upload-pages-artifact@v5, with: { path: ${path} } }`);
  expect(ofJob(upload + step('{ uses: actions/deploy-pages@v5 }'), 'a')).toBe(expected);
  expect(ofJob(step('{ uses: actions/deploy-pages@v5 }'), 'a')).toBe(false);
});

test.each([
  ["github.event_name == 'pull_request'", "github.event_name == 'push'", '[push, pull_request]', 0],
  ["github.event_name != 'schedule'", "github.event_name == 'push'", '[push, pull_request]', 1],
  [
    'contains(fromJSON(\'["merge_group"]\'), github.event_name)',
    "github.event_name == 'push'",
    '[push, merge_group]',
    0,
  ],
  ["github.event_name == 'push'", "github.event_name == 'release'", 'workflow_call', 1],
  ["github.event_name == 'push'", "github.ref_name == 'stable'", 'push', 1],
  [
    'always()',
    "steps.x.outputs.y != 'true' && github.repository == 'acme/app' && github.ref_name == 'main'",
    'push',
    1,
  ],
  ['always()', "steps.x.outputs.y != 'true' && github.repository == 'acme/parent'", 'push', 0],
  ["github.repository_owner == 'acme'", 'always()', 'workflow_call', 1],
  ["github.repository_owner == 'parent'", 'always()', 'workflow_call', 0],
])('a job if %s with a step if %s on %s publishes: %s', (job, condition, on, expected) => {
  const text = `on: ${on}
jobs:
  a:
    if: ${job}
    runs-on: ubuntu-latest
    steps:
      - if: ${condition}
        run: aws s3 cp dist s3://bucket
`;
  const repository = createRepository([{ path: '.github/workflows/a.yml', text }], 'acme/app');
  const [published] = repository.workflows[0]?.jobs ?? [];
  expect(published?.steps.flatMap((each) => releasing(each, repository))).toHaveLength(expected);
});
