import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Text } from '#lib/workflow/model/model.ts';

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

/** True if the secret authenticates only to `vendor`, so that the vendor's action gains nothing by leaking it. */
export function opensOnly(secret: string, vendor: string): boolean {
  const name = vendor
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/(?:hq|io|sh|dev|labs|source|s)$/, '');
  const plain = secret.replace(/[^a-z0-9]/g, '');
  return name.length > 3 && [name, ...(PRODUCTS[name] ?? [])].some((each) => plain.startsWith(each));
}

const PRODUCTS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude'],
  mend: ['whitesource'],
};

/** True for keys that give whoever takes them next to nothing: chat addresses, reports, tests, licences. */
export function opensLittle(name: string): boolean {
  return isChatAddress(name) || uploadsReports(name) || isForTests(name) || LICENCE.test(name);
}

const LICENCE = /licen[cs]e|goreleaser_key|develocity|gradle_enterprise/;

export function uploadsReports(name: string): boolean {
  return (
    /^(?:codecov|coveralls|codacy_project|codeclimate|deepsource|smokeshow|sonar(?:cloud|qube)?)_?\w{0,20}$/.test(
      name,
    ) || TELEMETRY.test(name)
  );
}

const TELEMETRY = /honeycomb|(?:^|_)(?:otel|otlp|sentry_dsn)(?:_|$)|(?:^|_)(?:datadog|dd)_api_key$/;

export function isChatAddress(name: string): boolean {
  return CHAT.test(name) && !/token|key|password/.test(name);
}

const CHAT = /slack|discord|teams|mattermost|webex|wechat|wecom|feishu|dingtalk|(?:^|_)lark/;

export function isForTests(name: string): boolean {
  return /(?:^|_)tests?(?:_|$)/.test(name) && !OPENS_MORE.test(name);
}

const OPENS_MORE = /aws|azure|gcp|google|cloud|deploy|publish|token|pat(?:_|$)|bot|ssh|private|npm|pypi|registry/;
