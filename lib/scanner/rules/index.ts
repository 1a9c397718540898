import type { Rule } from '../rule.ts';
import { actionsCanApprovePrs } from './actions-can-approve-prs.ts';
import { actionsUnrestricted } from './actions-unrestricted.ts';
import { adhocPackages } from './adhoc-packages.ts';
import { aiAgentUnrestrictedTrigger } from './ai-agent-unrestricted-trigger.ts';
import { aiAgentUnsafeSandbox } from './ai-agent-unsafe-sandbox.ts';
import { aiPromptInjection } from './ai-prompt-injection.ts';
import { anonymousDefinition } from './anonymous-definition.ts';
import { archivedUses } from './archived-uses.ts';
import { artifactPoisoning } from './artifact-poisoning.ts';
import { artipacked } from './artipacked.ts';
import { botConditions } from './bot-conditions.ts';
import { branchHistoryMutable } from './branch-history-mutable.ts';
import { cachePoisoning } from './cache-poisoning.ts';
import { codeownersGap } from './codeowners-gap.ts';
import { compromisedActionRef } from './compromised-action-ref.ts';
import { confusedDeputyAutoMerge } from './confused-deputy-auto-merge.ts';
import { dangerousTriggers } from './dangerous-triggers.ts';
import { defaultWorkflowTokenWrite } from './default-workflow-token-write.ts';
import { dependabotCooldown } from './dependabot-cooldown.ts';
import { dependabotExecution } from './dependabot-execution.ts';
import { environmentUnprotected } from './environment-unprotected.ts';
import { excessiveOrgAccess } from './excessive-org-access.ts';
import { excessivePermissions } from './excessive-permissions.ts';
import { forkPrPolicy } from './fork-pr-policy.ts';
import { githubApp } from './github-app.ts';
import { githubEnv } from './github-env.ts';
import { hardcodedContainerCredentials } from './hardcoded-container-credentials.ts';
import { hardcodedSecret } from './hardcoded-secret.ts';
import { improperAccessControl } from './improper-access-control.ts';
import { insecureCommands } from './insecure-commands.ts';
import { insecureWebhook } from './insecure-webhook.ts';
import { knownVulnerableActions } from './known-vulnerable-actions.ts';
import { missingTimeout } from './missing-timeout.ts';
import { missingTriggerAuthorization } from './missing-trigger-authorization.ts';
import { mutableReleases } from './mutable-releases.ts';
import { obfuscation } from './obfuscation.ts';
import { oidcSubjectTooBroad } from './oidc-subject-too-broad.ts';
import { outputClobbering } from './output-clobbering.ts';
import { overprovisionedSecrets } from './overprovisioned-secrets.ts';
import { privilegedContainer } from './privileged-container.ts';
import { projectHygiene } from './project-hygiene.ts';
import { protectionBypass } from './protection-bypass.ts';
import { refVersionMismatch } from './ref-version-mismatch.ts';
import { reviewNotRequired } from './review-not-required.ts';
import { runnerGroupExposed } from './runner-group-exposed.ts';
import { secretExfiltration } from './secret-exfiltration.ts';
import { secretInLog } from './secret-in-log.ts';
import { secretScanningDisabled } from './secret-scanning-disabled.ts';
import { secretsInherit } from './secrets-inherit.ts';
import { securityScanningDisabled } from './security-scanning-disabled.ts';
import { selfHostedRunner } from './self-hosted-runner.ts';
import { selfHostedRunnerPr } from './self-hosted-runner-pr.ts';
import { shaPinningNotEnforced } from './sha-pinning-not-enforced.ts';
import { sourceProvenanceMissing } from './source-provenance-missing.ts';
import { staleCredentials } from './stale-credentials.ts';
import { statusChecksNotRequired } from './status-checks-not-required.ts';
import { tagProtectionMissing } from './tag-protection-missing.ts';
import { templateInjection } from './template-injection.ts';
import { typosquatUses } from './typosquat-uses.ts';
import { unpinnedImages } from './unpinned-images.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unprotectedBranch } from './unprotected-branch.ts';
import { unredactedSecrets } from './unredacted-secrets.ts';
import { unsafePrCheckoutOptIn } from './unsafe-pr-checkout-opt-in.ts';
import { unsignedCommits } from './unsigned-commits.ts';
import { unsoundCondition } from './unsound-condition.ts';
import { unsoundContains } from './unsound-contains.ts';
import { untrustedCheckout } from './untrusted-checkout.ts';
import { untrustedCheckoutExec } from './untrusted-checkout-exec.ts';
import { untrustedCheckoutToctou } from './untrusted-checkout-toctou.ts';
import { unverifiedScriptExec } from './unverified-script-exec.ts';
import { useTrustedPublishing } from './use-trusted-publishing.ts';
import { weakOrgAuthentication } from './weak-org-authentication.ts';
import { weakReviewGate } from './weak-review-gate.ts';
import { workflowEnvSecrets } from './workflow-env-secrets.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  actionsCanApprovePrs,
  actionsUnrestricted,
  adhocPackages,
  aiAgentUnrestrictedTrigger,
  aiAgentUnsafeSandbox,
  aiPromptInjection,
  anonymousDefinition,
  archivedUses,
  artifactPoisoning,
  artipacked,
  botConditions,
  branchHistoryMutable,
  cachePoisoning,
  codeownersGap,
  compromisedActionRef,
  confusedDeputyAutoMerge,
  dangerousTriggers,
  defaultWorkflowTokenWrite,
  dependabotCooldown,
  dependabotExecution,
  environmentUnprotected,
  excessiveOrgAccess,
  excessivePermissions,
  forkPrPolicy,
  githubApp,
  githubEnv,
  hardcodedContainerCredentials,
  hardcodedSecret,
  improperAccessControl,
  insecureCommands,
  insecureWebhook,
  knownVulnerableActions,
  missingTimeout,
  missingTriggerAuthorization,
  mutableReleases,
  obfuscation,
  oidcSubjectTooBroad,
  outputClobbering,
  overprovisionedSecrets,
  privilegedContainer,
  projectHygiene,
  protectionBypass,
  refVersionMismatch,
  reviewNotRequired,
  runnerGroupExposed,
  secretExfiltration,
  secretInLog,
  secretScanningDisabled,
  secretsInherit,
  securityScanningDisabled,
  selfHostedRunner,
  selfHostedRunnerPr,
  shaPinningNotEnforced,
  sourceProvenanceMissing,
  staleCredentials,
  statusChecksNotRequired,
  tagProtectionMissing,
  templateInjection,
  typosquatUses,
  unpinnedImages,
  unpinnedUses,
  unprotectedBranch,
  unredactedSecrets,
  unsafePrCheckoutOptIn,
  unsignedCommits,
  unsoundCondition,
  unsoundContains,
  untrustedCheckout,
  untrustedCheckoutExec,
  untrustedCheckoutToctou,
  unverifiedScriptExec,
  useTrustedPublishing,
  weakOrgAuthentication,
  weakReviewGate,
  workflowEnvSecrets,
];
