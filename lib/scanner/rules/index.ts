import type { Rule } from '../rule.ts';
import { actionsCanApprovePrs } from './actions-can-approve-prs.ts';
import { anonymousDefinition } from './anonymous-definition.ts';
import { botConditions } from './bot-conditions.ts';
import { confusedDeputyAutoMerge } from './confused-deputy-auto-merge.ts';
import { defaultWorkflowTokenWrite } from './default-workflow-token-write.ts';
import { missingTimeout } from './missing-timeout.ts';
import { obfuscation } from './obfuscation.ts';
import { privilegedContainer } from './privileged-container.ts';
import { secretExfiltration } from './secret-exfiltration.ts';
import { selfHostedRunner } from './self-hosted-runner.ts';
import { selfHostedRunnerPr } from './self-hosted-runner-pr.ts';
import { templateInjection } from './template-injection.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unsoundCondition } from './unsound-condition.ts';
import { unsoundContains } from './unsound-contains.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  actionsCanApprovePrs,
  anonymousDefinition,
  botConditions,
  confusedDeputyAutoMerge,
  defaultWorkflowTokenWrite,
  missingTimeout,
  obfuscation,
  privilegedContainer,
  secretExfiltration,
  selfHostedRunner,
  selfHostedRunnerPr,
  templateInjection,
  unpinnedUses,
  unsoundCondition,
  unsoundContains,
];
