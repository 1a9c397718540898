import type { NotAssessed } from '#lib/db/shapes/common.ts';

export const REASON_LABELS: Readonly<Record<NotAssessed['reason'], string>> = {
  disabled: 'turned off',
  not_run: 'turned on since the last scan',
  no_permission: 'the app lacks a permission',
  offline: 'data could not be read',
  rate_limited: 'a file was too large, or a limit was reached',
  rule_error: 'the rule failed, which is our bug',
  unsupported_host: 'the code host does not provide the data',
};
