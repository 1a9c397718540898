import type { Rule } from '../rule.ts';
import { artipacked } from './artipacked.ts';
import { excessivePermissions } from './excessive-permissions.ts';
import { githubApp } from './github-app.ts';
import { hardcodedContainerCredentials } from './hardcoded-container-credentials.ts';
import { hardcodedSecret } from './hardcoded-secret.ts';
import { overprovisionedSecrets } from './overprovisioned-secrets.ts';
import { secretInLog } from './secret-in-log.ts';
import { secretsInherit } from './secrets-inherit.ts';
import { templateInjection } from './template-injection.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unredactedSecrets } from './unredacted-secrets.ts';
import { useTrustedPublishing } from './use-trusted-publishing.ts';
import { workflowEnvSecrets } from './workflow-env-secrets.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  artipacked,
  excessivePermissions,
  githubApp,
  hardcodedContainerCredentials,
  hardcodedSecret,
  overprovisionedSecrets,
  secretInLog,
  secretsInherit,
  templateInjection,
  unpinnedUses,
  unredactedSecrets,
  useTrustedPublishing,
  workflowEnvSecrets,
];
