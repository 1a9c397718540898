import { actionOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, type Step, sourceOf, type Variables } from '#lib/workflow/model/model.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { memoByNode } from '../memo.ts';
import { credentialsOf } from '../privileges/job-credentials.ts';
import { secretNamesIn, secretsOfVariables } from '../privileges/secret-names.ts';
import { isNamedAfterDelivery } from './delivery-names.ts';
import { publishesIn } from './publish.ts';

const NAMES_BUILD_CACHE =
  /s?ccache|(?:bazel|build|buildkit|buildx|ci|compiler|docker|gradle|layer|maven|remote|turbo)[-_ ]?cache|cache[-_ ]?(?:bucket|reader|role|storage|store|writer)|(?:build|ci|test)[-_ ]?logs?[-_ ]?(?:bucket|role|upload)/i;

const BUILD_CACHE_SETTINGS =
  /\bSCCACHE_(?:AZURE|BUCKET|ENDPOINT|GCS|OSS|S3|WEBDAV)|\bCCACHE_REMOTE_STORAGE|--(?:experimental_)?remote[-_]cache\b|\btype=(?:azblob|gcs|s3)\b/;

interface Cloud {
  readonly signIn: string;
  readonly owner: string;
  readonly programs: RegExp;
  readonly registry: RegExp;
  readonly keys: RegExp;
}

const CLOUDS: readonly Cloud[] = [
  {
    signIn: 'aws-actions/configure-aws-credentials',
    owner: 'aws-actions',
    programs: /(?:^|[\s;&|(])(?:aws|cdk|eksctl|s3cmd|sam|serverless|sls) +[a-z]/,
    registry: /\.dkr\.ecr\./,
    keys: /aws|(?:^|_)s3(?:_|$)|minio|(?:^|_)r2(?:_|$)/,
  },
  {
    signIn: 'google-github-actions/auth',
    owner: 'google-github-actions',
    programs: /(?:^|[\s;&|(])(?:bq|firebase|gcloud|gsutil) +[a-z]/,
    registry: /\bgcr\.io\/|-docker\.pkg\.dev/,
    keys: /gc[ps]|google/,
  },
  {
    signIn: 'azure/login',
    owner: 'azure',
    programs: /(?:^|[\s;&|(])(?:az|azcopy|azd) +[a-z]/,
    registry: /\.azurecr\.io/,
    keys: /azure/,
  },
];

const USES_ANY_CLOUD =
  /(?:^|[\s;&|(])(?:ansible-playbook|helm|kubectl|packer|pulumi|rclone|sops|terraform|terragrunt|tofu) +[a-z]/;

const SETS_UP: ReadonlySet<string> = new Set([
  ...CLOUDS.map(({ signIn }) => signIn),
  'google-github-actions/setup-gcloud',
]);

const ONLY_LOOKS_AT_SIGN_IN =
  /\baws +(?:configure|sts)\b|\bgcloud +(?:auth|config|info)\b|\baz +account +(?:set|show)\b/;

export function signInsForCache(job: Job, steps: readonly Step[]): ReadonlySet<Step> {
  const unused = CLOUDS.filter((cloud) => !steps.some((step) => usesCloud(step, cloud)));
  const stores = steps.some(hasSettings) && !isNamedAfterDelivery(job);
  return new Set(
    steps.filter((step) => {
      const slug = actionOf(step)?.slug;
      return unused.some(({ signIn }) => signIn === slug) && (stores || NAMES_BUILD_CACHE.test(textOf(step)));
    }),
  );
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the stored keys of clouds that a job uses for a store of caches or logs alone, in lower case. */
export const cacheKeysOf = memoByNode((job: Job): ReadonlySet<string> => {
  if (!credentialsOf(job).secrets.some((name) => CLOUDS.some(({ keys }) => keys.test(name)))) return NONE;
  const found = new Set<string>();
  const elsewhere = new Set<string>();
  const outside = [job.workflow.env, job.env].flatMap((variables) => variables ?? []);
  const stored = outside.some(setCaches) || job.steps.some(hasSettings);
  const given = stored && !isNamedAfterDelivery(job) ? found : elsewhere;
  for (const variables of outside) for (const name of secretsOfVariables(variables)) given.add(name);
  for (const step of job.steps) {
    const stores = NAMES_BUILD_CACHE.test(textOf(step)) || hasSettings(step);
    for (const text of textsBelow(step.mapping))
      for (const name of secretNamesIn(text)) (stores ? found : elsewhere).add(name);
  }
  const used = new Set(CLOUDS.filter((cloud) => job.steps.some((step) => usesCloud(step, cloud))));
  return new Set(
    [...found].filter((name) => {
      const cloud = CLOUDS.find(({ keys }) => keys.test(name));
      return cloud !== undefined && !elsewhere.has(name) && !used.has(cloud);
    }),
  );
});

const setCaches = memoByNode(({ entries }: Variables): boolean =>
  entries.some(({ name, value }) => BUILD_CACHE_SETTINGS.test(`${name}=${value.value}`)),
);

function hasSettings(step: Step): boolean {
  return BUILD_CACHE_SETTINGS.test(textOf(step));
}

function usesCloud(step: Step, { owner, programs, registry }: Cloud): boolean {
  const action = actionOf(step);
  if (action?.owner.toLowerCase() === owner && !SETS_UP.has(action.slug)) return true;
  if (registry.test(textOf(step))) return true;
  if (step.run === undefined) return publishesIn(step).some(({ kind }) => kind === 'deploy');
  return step.run.value
    .split('\n')
    .some(
      (line) =>
        (programs.test(line) || USES_ANY_CLOUD.test(line)) &&
        !NAMES_BUILD_CACHE.test(line) &&
        !ONLY_LOOKS_AT_SIGN_IN.test(line),
    );
}

const textOf = memoByNode((step: Step): string =>
  sourceOf(step)
    .text.slice(step.span.start, step.span.end)
    .replace(/^[ \t]*#[^\n]*/gm, ''),
);
