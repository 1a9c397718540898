import { actionOf, inputOf, isFalse, isTrue } from './actions.ts';
import type { Step } from './model.ts';
import { commandsOf, type ShellCommand } from './shell.ts';
import type { Span } from './source.ts';

/** A step, or one command of it, that hands something to people or machines outside of the run. */
export interface Publish {
  readonly kind: 'package' | 'image' | 'release' | 'deploy' | 'attest' | 'sign';
  /** For messages: `pypa/gh-action-pypi-publish`, `npm publish`. */
  readonly name: string;
  readonly step: Step;
  readonly span: Span;
}

type Kind = Publish['kind'];

/** By `owner/repo` or `owner/repo/path` in lower case. */
const ACTIONS: Readonly<Record<string, Kind>> = {
  'actions/attest': 'attest',
  'actions/attest-build-provenance': 'attest',
  'actions/attest-sbom': 'attest',
  'actions/create-release': 'release',
  'actions/deploy-pages': 'deploy',
  'actions/upload-release-asset': 'release',
  'amondnet/vercel-action': 'deploy',
  'aws-actions/amazon-ecs-deploy-task-definition': 'deploy',
  'azure/functions-action': 'deploy',
  'azure/webapps-deploy': 'deploy',
  'burnett01/rsync-deployments': 'deploy',
  'changesets/action': 'package',
  'cloudflare/pages-action': 'deploy',
  'cloudflare/wrangler-action': 'deploy',
  'crazy-max/ghaction-github-pages': 'deploy',
  'cycjimmy/semantic-release-action': 'package',
  'firebaseextended/action-hosting-deploy': 'deploy',
  'google-github-actions/deploy-appengine': 'deploy',
  'google-github-actions/deploy-cloudrun': 'deploy',
  'helm/chart-releaser-action': 'package',
  'jamesives/github-pages-deploy-action': 'deploy',
  'js-devtools/npm-publish': 'package',
  'katyo/publish-crates': 'package',
  'ncipollo/release-action': 'release',
  'peaceiris/actions-gh-pages': 'deploy',
  'pypa/gh-action-pypi-publish': 'package',
  'rubygems/release-gem': 'package',
  'sigstore/gh-action-sigstore-python': 'sign',
  'softprops/action-gh-release': 'release',
  'svenstaro/upload-release-action': 'release',
};

/** Actions that publish only when an input says so. */
const CONDITIONAL: Readonly<Record<string, { readonly kind: Kind; readonly when: (step: Step) => boolean }>> = {
  'docker/bake-action': { kind: 'image', when: (step) => pushes(step) },
  'docker/build-push-action': { kind: 'image', when: (step) => pushes(step) },
  'goreleaser/goreleaser-action': {
    kind: 'release',
    when: (step) => {
      const args = inputOf(step, 'args')?.value ?? '';
      return /\brelease\b/.test(args) && !/--snapshot|--skip[= ]\S*publish/.test(args);
    },
  },
  'pyo3/maturin-action': {
    kind: 'package',
    when: (step) => /^(?:publish|upload)$/.test(inputOf(step, 'command')?.value.trim() ?? ''),
  },
};

function pushes(step: Step): boolean {
  const push = inputOf(step, 'push');
  if (push !== undefined) return !isFalse(push);
  return /type=registry|push=true/.test(inputOf(step, 'outputs')?.value ?? '');
}

/** The first words of commands that publish, by program. */
const COMMANDS: Readonly<Record<string, readonly { readonly call: RegExp; readonly kind: Kind }[]>> = {
  aws: [
    { call: /^s3 (?:cp|sync|mv) (?:-\S+ )*(?!s3:)\S+ s3:\/\//, kind: 'deploy' },
    { call: /^(?:cloudformation deploy|lambda update-function-code|ecs update-service)\b/, kind: 'deploy' },
  ],
  bun: [{ call: /^publish\b/, kind: 'package' }],
  bundle: [{ call: /^exec rake release\b/, kind: 'package' }],
  cargo: [{ call: /^(?:\+\S+ )?publish\b/, kind: 'package' }],
  changeset: [{ call: /^publish\b/, kind: 'package' }],
  cosign: [{ call: /^(?:sign|sign-blob|attest)\b/, kind: 'sign' }],
  deno: [{ call: /^publish\b/, kind: 'package' }],
  docker: [
    { call: /^(?:image )?push\b/, kind: 'image' },
    { call: /^(?:buildx )?(?:build|bake)\b.*\s--push\b/, kind: 'image' },
  ],
  dotnet: [{ call: /^nuget push\b/, kind: 'package' }],
  firebase: [{ call: /^deploy\b/, kind: 'deploy' }],
  fly: [{ call: /^deploy\b/, kind: 'deploy' }],
  flyctl: [{ call: /^deploy\b/, kind: 'deploy' }],
  gcloud: [{ call: /^(?:run deploy|app deploy|functions deploy)\b/, kind: 'deploy' }],
  gem: [{ call: /^push\b/, kind: 'package' }],
  gh: [{ call: /^release (?:create|upload)\b/, kind: 'release' }],
  goreleaser: [{ call: /^release\b(?!.*--snapshot)/, kind: 'release' }],
  helm: [{ call: /^push\b/, kind: 'package' }],
  hatch: [{ call: /^publish\b/, kind: 'package' }],
  lerna: [{ call: /^publish\b/, kind: 'package' }],
  mvn: [{ call: /(?:^|\s)deploy(?:\s|$)/, kind: 'package' }],
  netlify: [{ call: /^deploy\b.*--prod/, kind: 'deploy' }],
  npm: [{ call: /^publish\b/, kind: 'package' }],
  ovsx: [{ call: /^publish\b/, kind: 'package' }],
  pnpm: [{ call: /^(?:-r |--recursive |-\S+ )?publish\b/, kind: 'package' }],
  podman: [{ call: /^push\b/, kind: 'image' }],
  poetry: [{ call: /^publish\b/, kind: 'package' }],
  'semantic-release': [{ call: /^(?!.*--dry-run)/, kind: 'package' }],
  twine: [{ call: /^upload\b/, kind: 'package' }],
  uv: [{ call: /^publish\b/, kind: 'package' }],
  vercel: [{ call: /--prod\b/, kind: 'deploy' }],
  vsce: [{ call: /^publish\b/, kind: 'package' }],
  wrangler: [{ call: /^(?:deploy|publish|pages deploy)\b/, kind: 'deploy' }],
  yarn: [{ call: /^(?:npm )?publish\b/, kind: 'package' }],
};

const MENTION = /publish|push|deploy|release|upload|sign|attest|\bs3\b|lambda|ecs|--prod/;

const publishesByStep = new WeakMap<Step, readonly Publish[]>();

/** What a step publishes, deploys, signs or attests. Dry runs are left out. */
export function publishesIn(step: Step): readonly Publish[] {
  let found = publishesByStep.get(step);
  if (found === undefined) {
    // Reading a script costs far more than looking for the words.
    const spoken = step.run !== undefined && MENTION.test(step.run.value);
    found = spoken ? commandsOf(step).flatMap((command) => ofCommand(command, step)) : ofAction(step);
    publishesByStep.set(step, found);
  }
  return found;
}

function ofAction(step: Step): Publish[] {
  const action = actionOf(step);
  if (action === undefined || step.uses === undefined) return [];
  const conditional = CONDITIONAL[action.slug];
  const kind = conditional?.when(step) === true ? conditional.kind : (ACTIONS[action.name] ?? ACTIONS[action.slug]);
  const dry = isTrue(inputOf(step, 'dry-run')) || isTrue(inputOf(step, 'dry_run'));
  return kind === undefined || dry
    ? []
    : [{ kind, name: `${action.owner}/${action.repo}`, step, span: step.uses.span }];
}

/** Programs that run another one, named by their first word that is no option. */
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx']);

function ofCommand({ program, args, span }: ShellCommand, step: Step): Publish[] {
  let words = args.map(({ value }) => value);
  let name = program;
  if (RUNNERS.has(program)) {
    const first = words.findIndex((word) => !word.startsWith('-') && word !== 'run');
    name = (words[first] ?? '').replace(/(?<=.)@[\w.^~-]+$/, '').replace(/^.*\//, '');
    words = words.slice(first + 1);
  } else if (/^python3?$/.test(program) && words[0] === '-m') {
    name = words[1] ?? '';
    words = words.slice(2);
  }
  const line = words.join(' ');
  if (/(?:^|\s)--dry-run\b/.test(line)) return [];
  const found = COMMANDS[name]?.find(({ call }) => call.test(line));
  return found === undefined ? [] : [{ kind: found.kind, name: `${name} ${words[0] ?? ''}`.trim(), step, span }];
}
