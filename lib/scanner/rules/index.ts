import type { Rule } from '../rule.ts';
import { actionsCanApprovePrs } from './actions-can-approve-prs.ts';
import { adhocPackages } from './adhoc-packages.ts';
import { aiAgentUnrestrictedTrigger } from './ai-agent-unrestricted-trigger.ts';
import { aiAgentUnsafeSandbox } from './ai-agent-unsafe-sandbox.ts';
import { aiPromptInjection } from './ai-prompt-injection.ts';
import { anonymousDefinition } from './anonymous-definition.ts';
import { archivedUses } from './archived-uses.ts';
import { artifactPoisoning } from './artifact-poisoning.ts';
import { artipacked } from './artipacked.ts';
import { attestationPermissionsMissing } from './attestation-permissions-missing.ts';
import { botConditions } from './bot-conditions.ts';
import { buildIsolation } from './build-isolation.ts';
import { cachePoisoning } from './cache-poisoning.ts';
import { compromisedActionRef } from './compromised-action-ref.ts';
import { concurrencyLimits } from './concurrency-limits.ts';
import { confusedDeputyAutoMerge } from './confused-deputy-auto-merge.ts';
import { dangerousTriggers } from './dangerous-triggers.ts';
import { defaultWorkflowTokenWrite } from './default-workflow-token-write.ts';
import { dependabotCooldown } from './dependabot-cooldown.ts';
import { dependabotExecution } from './dependabot-execution.ts';
import { dependencyReviewSettings } from './dependency-review-settings.ts';
import { excessivePermissions } from './excessive-permissions.ts';
import { githubApp } from './github-app.ts';
import { githubEnv } from './github-env.ts';
import { hardcodedContainerCredentials } from './hardcoded-container-credentials.ts';
import { hardcodedSecret } from './hardcoded-secret.ts';
import { improperAccessControl } from './improper-access-control.ts';
import { insecureCommands } from './insecure-commands.ts';
import { knownVulnerableActions } from './known-vulnerable-actions.ts';
import { missingDependencyUpdates } from './missing-dependency-updates.ts';
import { missingEgressControl } from './missing-egress-control.ts';
import { missingProvenance } from './missing-provenance.ts';
import { missingSbom } from './missing-sbom.ts';
import { missingTimeout } from './missing-timeout.ts';
import { missingTriggerAuthorization } from './missing-trigger-authorization.ts';
import { multipleReleasePaths } from './multiple-release-paths.ts';
import { obfuscation } from './obfuscation.ts';
import { outputClobbering } from './output-clobbering.ts';
import { overprovisionedSecrets } from './overprovisioned-secrets.ts';
import { privilegedContainer } from './privileged-container.ts';
import { provenanceTenantGenerated } from './provenance-tenant-generated.ts';
import { refVersionMismatch } from './ref-version-mismatch.ts';
import { secretExfiltration } from './secret-exfiltration.ts';
import { secretInLog } from './secret-in-log.ts';
import { secretsInherit } from './secrets-inherit.ts';
import { selfHostedRunner } from './self-hosted-runner.ts';
import { selfHostedRunnerPr } from './self-hosted-runner-pr.ts';
import { templateInjection } from './template-injection.ts';
import { typosquatUses } from './typosquat-uses.ts';
import { undocumentedPermissions } from './undocumented-permissions.ts';
import { unpinnedImages } from './unpinned-images.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unredactedSecrets } from './unredacted-secrets.ts';
import { unsafePrCheckoutOptIn } from './unsafe-pr-checkout-opt-in.ts';
import { unsoundCondition } from './unsound-condition.ts';
import { unsoundContains } from './unsound-contains.ts';
import { untrustedCheckout } from './untrusted-checkout.ts';
import { untrustedCheckoutExec } from './untrusted-checkout-exec.ts';
import { untrustedCheckoutToctou } from './untrusted-checkout-toctou.ts';
import { unusedPermissions } from './unused-permissions.ts';
import { unverifiedScriptExec } from './unverified-script-exec.ts';
import { useTrustedPublishing } from './use-trusted-publishing.ts';
import { workflowEnvSecrets } from './workflow-env-secrets.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  actionsCanApprovePrs,
  adhocPackages,
  aiAgentUnrestrictedTrigger,
  aiAgentUnsafeSandbox,
  aiPromptInjection,
  anonymousDefinition,
  archivedUses,
  artifactPoisoning,
  artipacked,
  attestationPermissionsMissing,
  botConditions,
  buildIsolation,
  cachePoisoning,
  compromisedActionRef,
  concurrencyLimits,
  confusedDeputyAutoMerge,
  dangerousTriggers,
  defaultWorkflowTokenWrite,
  dependabotCooldown,
  dependabotExecution,
  dependencyReviewSettings,
  excessivePermissions,
  githubApp,
  githubEnv,
  hardcodedContainerCredentials,
  hardcodedSecret,
  improperAccessControl,
  insecureCommands,
  knownVulnerableActions,
  missingDependencyUpdates,
  missingEgressControl,
  missingProvenance,
  missingSbom,
  missingTimeout,
  missingTriggerAuthorization,
  multipleReleasePaths,
  obfuscation,
  outputClobbering,
  overprovisionedSecrets,
  privilegedContainer,
  provenanceTenantGenerated,
  refVersionMismatch,
  secretExfiltration,
  secretInLog,
  secretsInherit,
  selfHostedRunner,
  selfHostedRunnerPr,
  templateInjection,
  typosquatUses,
  undocumentedPermissions,
  unpinnedImages,
  unpinnedUses,
  unredactedSecrets,
  unsafePrCheckoutOptIn,
  unsoundCondition,
  unsoundContains,
  untrustedCheckout,
  untrustedCheckoutExec,
  untrustedCheckoutToctou,
  unusedPermissions,
  unverifiedScriptExec,
  useTrustedPublishing,
  workflowEnvSecrets,
];
