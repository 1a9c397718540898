import { OPERATORS, VENDOR_KEYS } from '#lib/data/curated/vendor-keys.ts';
import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Text, Variables } from '#lib/workflow/model/model.ts';
import { ownValue } from '#lib/workflow/text/own-value.ts';
import { memoByNode } from '../memo.ts';

/** Returns the secrets that a text's expressions read, in lower case; `*` for one that is not named. */
export function secretNamesIn(text: Text): string[] {
  if (!text.value.includes('secrets')) return [];
  return expressionsIn(text).flatMap(({ node }) =>
    node === undefined
      ? []
      : accessedPaths(node).flatMap((path) => {
          if (path === 'secrets') return ['*'];
          return path.startsWith('secrets.') ? [path.slice('secrets.'.length)] : [];
        }),
  );
}

export const secretsOfVariables = memoByNode(({ entries }: Variables): ReadonlySet<string> => {
  return new Set(entries.flatMap(({ value }) => secretNamesIn(value)));
});

const MAX_WORDS = 12;

const OPENS_ANOTHER_SERVICE =
  /(?:^|_)(?:apple|asc|aws|azure|bot|docker(?:hub)?|gcp|ssh)(?:_|$)|(?:^|_)(?:gh|git|github|gitlab|google|npm|nuget|pypi|rubygems)_?(?:access|api|app|auth|deploy|key|pat|private|publish|token)|(?:^|_)(?:cargo_registry|crates_?io|ossrh|sonatype)|(?:^|_)app_(?:pem|private_key)(?:_|$)/;

const GRADLE_PROPERTY = /^org_gradle_project_/;

const AROUND_NAME = /^(?:get|join|try|use|with)|(?:ai|corp|dev|hq|inc|io|labs|s|sh|source)$/g;

const GENERAL_WORD =
  /^(?:access|account|action|admin|api|artifact|auth|build|client|cloud|code|credential|database|deploy|deployment|dispatch|docs|git|github|image|key|master|org|package|password|personal|private|prod|production|project|publish|registry|release|repo|repository|secret|server|service|sign|signing|staging|storage|test|token|update|upload|user|webhook|workflow)s?$/;

const MIN_PREFIX = 6;

/**
 * True if the secret authenticates only to `vendor`, an account or a site, so that its own program gains nothing by
 * leaking it. Its name begins with the vendor's, or with words that say whose or which of several it is.
 */
export function opensOnly(secret: string, vendor: string, begins = false): boolean {
  const names = namesOf(vendor);
  const words = secret.replace(GRADLE_PROPERTY, '').split(/[^a-z0-9]+/, MAX_WORDS);
  const known = ownValue(VENDOR_KEYS, vendor.toLowerCase()) ?? [];
  for (let at = 0; at < (begins ? 1 : words.length); at += 1) {
    const rest = words.slice(at);
    const start = names.find((name) => beginWith(rest, name)) ?? known.find((each) => rest.join('').startsWith(each));
    if (start !== undefined)
      return ![words.slice(0, at), withoutStart(rest, start)].some((others) =>
        OPENS_ANOTHER_SERVICE.test(others.join('_')),
      );
  }
  return false;
}

function namesOf(vendor: string): string[] {
  const account = vendor.toLowerCase().replace(/[^a-z0-9]/g, '');
  const bare = account.replace(AROUND_NAME, '');
  const resembles = bare !== account.replace(/s$/, '') && OF_LISTED_VENDORS.has(bare);
  const names = vendor.includes('.') || resembles ? [account] : [account, bare];
  return names.filter((name) => name.length > 3 && !GENERAL_WORD.test(name));
}

const OF_LISTED_VENDORS: ReadonlySet<string> = new Set(
  [...OPERATORS, ...Object.entries(VENDOR_KEYS).flat(2)].map((name) => name.replace(/[^a-z0-9]/g, '')),
);

function beginWith(words: readonly string[], name: string): boolean {
  if (name.length >= MIN_PREFIX) return words.join('').startsWith(name);
  return words.some((word, at) => name.endsWith(word) && words.slice(0, at + 1).join('') === name);
}

function withoutStart(words: readonly string[], start: string): readonly string[] {
  let length = 0;
  return words.filter((word) => {
    const own = length < start.length;
    length += word.length;
    return !own;
  });
}

/** True for keys that give whoever takes them next to nothing: chat addresses, reports, tests, licences, build caches. */
export function opensLittle(name: string): boolean {
  return isChatAddress(name) || uploadsReports(name) || isForTests(name) || LICENCE.test(name) || opensCache(name);
}

function opensCache(name: string): boolean {
  return BUILD_CACHE.test(name) && !/sign(?:ing|er)?_|(?:^|_)deploy/.test(name);
}

/** Stores that only builds and their machines read; users install from binary caches, such as those of Nix. */
const BUILD_CACHE =
  /(?:^|_)(?:s?ccache|buildbuddy|gradle_encryption_key|nx_cloud|turbo_token)(?:_|$)|(?:^|_)(?:actions|bazel|build|buildkit|buildx|ci|compiler|docker|gradle|gradle_enterprise|layer|maven|nx|remote|turbo)_?cache(?:_|$)/;

const LICENCE = /licen[cs]e|(?:^|_)activation_(?:code|key)(?:_|$)|goreleaser_key|develocity|gradle_enterprise/;

export function uploadsReports(name: string): boolean {
  return (
    /^(?:codecov|coveralls|codacy_project|codeclimate|deepsource|smokeshow|sonar(?:cloud|qube)?)_?\w{0,20}$/.test(
      name,
    ) || TELEMETRY.test(name)
  );
}

const TELEMETRY = /honeycomb|(?:^|_)(?:dagger_cloud_token|otel|otlp|sentry_dsn)(?:_|$)|(?:^|_)(?:datadog|dd)_api_key$/;

export function isChatAddress(name: string): boolean {
  return CHAT.test(name) && !/token|key|password/.test(name);
}

const CHAT = /slack|discord|teams|mattermost|webex|wechat|wecom|feishu|dingtalk|(?:^|_)lark/;

export function isForTests(name: string): boolean {
  const words = name.replace(TEST_PYPI, '_test');
  return /(?:^|_)tests?(?:_|$)/.test(words) && !OPENS_MORE.test(words);
}

const TEST_PYPI = /(?:^|_)test_?pypi(?=_|$)/;

const OPENS_MORE =
  /aws|azure|gcp|google|cloud|deploy|publish|access_?token|pat(?:_|$)|bot|ssh|private|npm|pypi|registry|docker|(?:^|_)(?:admin|app|gh|git\w{0,6}|org|personal|release)(?:_|$)/;
