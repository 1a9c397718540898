import type { Rule } from '../rule.ts';
import { dangerousTriggers } from './dangerous-triggers.ts';
import { improperAccessControl } from './improper-access-control.ts';
import { missingTriggerAuthorization } from './missing-trigger-authorization.ts';
import { templateInjection } from './template-injection.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unsafePrCheckoutOptIn } from './unsafe-pr-checkout-opt-in.ts';
import { untrustedCheckout } from './untrusted-checkout.ts';
import { untrustedCheckoutExec } from './untrusted-checkout-exec.ts';
import { untrustedCheckoutToctou } from './untrusted-checkout-toctou.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  dangerousTriggers,
  improperAccessControl,
  missingTriggerAuthorization,
  templateInjection,
  unpinnedUses,
  unsafePrCheckoutOptIn,
  untrustedCheckout,
  untrustedCheckoutExec,
  untrustedCheckoutToctou,
];
