import type { Rule } from '../rule.ts';
import { adhocPackages } from './adhoc-packages.ts';
import { archivedUses } from './archived-uses.ts';
import { compromisedActionRef } from './compromised-action-ref.ts';
import { dependabotCooldown } from './dependabot-cooldown.ts';
import { dependabotExecution } from './dependabot-execution.ts';
import { knownVulnerableActions } from './known-vulnerable-actions.ts';
import { refVersionMismatch } from './ref-version-mismatch.ts';
import { templateInjection } from './template-injection.ts';
import { typosquatUses } from './typosquat-uses.ts';
import { unpinnedImages } from './unpinned-images.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unverifiedScriptExec } from './unverified-script-exec.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  adhocPackages,
  archivedUses,
  compromisedActionRef,
  dependabotCooldown,
  dependabotExecution,
  knownVulnerableActions,
  refVersionMismatch,
  templateInjection,
  typosquatUses,
  unpinnedImages,
  unpinnedUses,
  unverifiedScriptExec,
];
