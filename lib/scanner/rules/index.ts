import type { Rule } from '../rule.ts';
import { compromisedActionRef } from './compromised-action-ref.ts';
import { knownVulnerableActions } from './known-vulnerable-actions.ts';
import { templateInjection } from './template-injection.ts';
import { unpinnedImages } from './unpinned-images.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unverifiedScriptExec } from './unverified-script-exec.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  compromisedActionRef,
  knownVulnerableActions,
  templateInjection,
  unpinnedImages,
  unpinnedUses,
  unverifiedScriptExec,
];
