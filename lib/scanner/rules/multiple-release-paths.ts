import { type Release, releasesIn } from '#lib/analysis/publishing/releases.ts';
import { inputOf, runsAction } from '#lib/workflow/model/action-uses.ts';
import type { Repository } from '#lib/workflow/model/repository.ts';
import { valuesOf } from '#lib/workflow/parse/fields.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { valueOf } from '#lib/workflow/yaml/parse.ts';
import { defineRule, type Report, yaml } from '../engine/rule.ts';

type Message = 'package' | 'image';

/**
 * INFO only: two workflows for one package are often a stable and a preview channel, which the files do not tell
 * apart.
 */
export const multipleReleasePaths = defineRule({
  id: 'multiple-release-paths',
  meta: {
    title: 'Several workflows release the same product',
    why: 'Users can rely on how a release was built only if there is one way to build it. If several workflows publish the same package, each has its own steps, permissions and checks, and the weakest decides how safe the package is.',
    attack:
      'The main release workflow is well guarded. The attacker uses the other one, such as an old emergency workflow, which publishes the same package with fewer checks.',
    recommendation:
      'Publish from one workflow, called through `workflow_call` if several events start a release, and register only that one as trusted publisher.',
    limits:
      'Packages are identified by registry and directory, images by their literal name. Prereleases are recognized by tags and workflow names; other reasons for having two workflows are not known.',
    severity: 'INFO',
    confidence: 'low',
    category: 'CICD-SEC-9',
    surface: 'workflow',
    rulesets: ['slsa-build-l1'],
    since: '0.1.0',
    references: ['https://slsa.dev/spec/v1.2/build-requirements', 'https://docs.npmjs.com/trusted-publishers'],
    messages: {
      package: 'This workflow and {{other}} both publish the {{registry}} package in {{folder}}.',
      image: 'This workflow and {{other}} both push the image {{image}}.',
    },
  },
  examples: {
    bad: [
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: [v*] } }
            jobs:
              release:
                runs-on: ubuntu-latest
                steps:
                  - run: npm ci
                  - run: npm publish
          `,
          '.github/workflows/old-release.yml': yaml`
            on: workflow_dispatch
            jobs:
              release:
                runs-on: ubuntu-latest
                steps:
                  # expect: package
                  - run: npm publish
          `,
        },
      },
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: [v*] } }
            jobs:
              release:
                runs-on: ubuntu-latest
                steps:
                  - uses: docker/build-push-action@v6
                    with: { push: true, tags: 'ghcr.io/acme/server:latest' }
          `,
          '.github/workflows/fix.yml': yaml`
            on: workflow_dispatch
            jobs:
              fix:
                runs-on: ubuntu-latest
                steps:
                  # expect: image
                  - uses: docker/build-push-action@v6
                    with: { push: true, tags: 'ghcr.io/acme/server:latest' }
          `,
        },
      },
    ],
    good: [
      {
        yaml: {
          '.github/workflows/release.yml': yaml`
            on: { push: { tags: [v*] } }
            jobs:
              release:
                runs-on: ubuntu-latest
                steps:
                  - run: npm publish
                  - run: npm publish
                    working-directory: packages/cli
          `,
          '.github/workflows/early.yml': yaml`
            on: push
            jobs:
              early:
                runs-on: ubuntu-latest
                steps:
                  - run: npm publish --tag next
          `,
          '.github/workflows/nightly.yml': yaml`
            on: { schedule: [{ cron: '0 1 * * *' }] }
            jobs:
              nightly:
                runs-on: ubuntu-latest
                steps:
                  - run: npm publish
          `,
          '.github/workflows/other.yml': yaml`
            on: workflow_dispatch
            jobs:
              other:
                runs-on: ubuntu-latest
                steps:
                  - run: npm publish ./packages/other
                  - run: npm publish --workspace tools
          `,
        },
      },
    ],
  },
  check: { repository: check },
});

const EARLY =
  /nightly|canary|beta|alpha|\bdev\b|next|snapshot|preview|pre-?release|\brc\b|experimental|insiders|edge|\btests?\b/i;

interface Path {
  readonly release: Release;
  readonly product: string;
  readonly shown: string;
}

function* check(repository: Repository): Generator<Report<Message>> {
  const first = new Map<string, Path>();
  const told = new Set<string>();
  // The workflow that releases and tags start comes first; the others are reported.
  const paths = pathsIn(repository);
  const workflows = new Map<string, Set<unknown>>();
  for (const { product, release } of paths) {
    workflows.set(product, (workflows.get(product) ?? new Set()).add(release.job.workflow));
  }
  for (const path of paths) {
    const { release, product, shown } = path;
    if ((workflows.get(product)?.size ?? 0) > 2) continue;
    const known = first.get(product);
    if (known === undefined) {
      first.set(product, path);
      continue;
    }
    const { workflow } = release.job;
    const pair = `${product} ${workflow.source.path}`;
    if (known.release.job.workflow === workflow || told.has(pair)) continue;
    told.add(pair);
    const other = known.release.job.workflow.source.path;
    yield release.kind === 'image'
      ? { message: 'image', data: { image: shown, other }, at: release.step, span: release.span, anchor: product }
      : {
          message: 'package',
          data: { registry: release.registry, folder: shown, other },
          at: release.step,
          span: release.span,
          anchor: product,
        };
  }
}

function pathsIn(repository: Repository): Path[] {
  const found = repository.workflows
    .filter(({ source, name }) => !EARLY.test(`${source.path} ${name?.value ?? ''}`))
    .flatMap((workflow) => releasesIn(workflow, repository).flatMap(pathOf));
  return found.sort((a, b) => Number(isMain(b)) - Number(isMain(a)));
}

function isMain({ release }: Path): boolean {
  return release.job.workflow.triggers.some(
    ({ event, tags, settings }) =>
      event === 'release' ||
      (event === 'push' && (tags !== undefined || valuesOf(valueOf(settings, 'tags')) !== undefined)),
  );
}

function pathOf(release: Release): Path[] {
  // Steps of a shared local action are the one release path.
  if (release.step.parent.kind === 'action') return [];
  if (release.kind === 'release' || EARLY.test(release.job.id)) return [];
  return release.kind === 'image' ? imagesOf(release) : packageOf(release);
}

function imagesOf(release: Release): Path[] {
  const { step } = release;
  const text = step.run === undefined ? (inputOf(step, 'tags')?.value ?? '') : lineOf(release);
  const names = text.split(/[\s,]+/).filter((word) => /^[a-z0-9][\w.-]*(?:\/[\w.-]+)+:[\w.-]+$/.test(word));
  return names.flatMap((name) => (EARLY.test(name) ? [] : [{ release, product: `image ${name}`, shown: name }]));
}

function packageOf(release: Release): Path[] {
  const line = lineOf(release);
  if (/--tag\b|--workspace|--filter|-w\b|-p\b|--package|--recursive|-r\b|\$|--pre/.test(line)) return [];
  const isPlain = /^(?:\S+ )?(?:publish|upload|push)(?: -[\w-]+(?:[= ](?:public|restricted|never))?)*$/.test(line);
  if (release.step.run !== undefined && !isPlain) return [];
  // An earlier job built the package, so the directory does not identify it.
  if (release.job.steps.some((step) => runsAction(step, 'actions/download-artifact'))) return [];
  const folder = release.step.workingDirectory?.value ?? inputOf(release.step, 'packages-dir')?.value ?? '';
  if (folder.includes('${{') || /\bcd\b/.test(release.step.run?.value ?? '')) return [];
  const shown = folder === '' ? 'the repository’s root' : folder;
  return [{ release, product: `${release.registry} ${folder}`, shown }];
}

function lineOf({ step, span }: Release): string {
  const command = commandsOf(step).find((each) => each.span.start === span.start);
  return command?.text.trim() ?? '';
}
