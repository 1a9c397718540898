import type { Rule } from '../engine/rule.ts';
import { actionsCanApprovePrs } from './actions-can-approve-prs.ts';
import { actionsUnrestricted } from './actions-unrestricted.ts';
import { adhocPackages } from './adhoc-packages.ts';
import { aiAgentExcessiveTools } from './ai-agent-excessive-tools.ts';
import { aiAgentUnrestrictedTrigger } from './ai-agent-unrestricted-trigger.ts';
import { aiAgentUnsafeSandbox } from './ai-agent-unsafe-sandbox.ts';
import { aiAgentUntrustedConfig } from './ai-agent-untrusted-config.ts';
import { aiOutputInjection } from './ai-output-injection.ts';
import { aiPromptInjection } from './ai-prompt-injection.ts';
import { anonymousDefinition } from './anonymous-definition.ts';
import { archivedUses } from './archived-uses.ts';
import { argumentInjection } from './argument-injection.ts';
import { artifactPoisoning } from './artifact-poisoning.ts';
import { artipacked } from './artipacked.ts';
import { attestationPermissionsMissing } from './attestation-permissions-missing.ts';
import { botConditions } from './bot-conditions.ts';
import { branchHistoryMutable } from './branch-history-mutable.ts';
import { buildIsolation } from './build-isolation.ts';
import { cacheModeUnset } from './cache-mode-unset.ts';
import { cachePoisoning } from './cache-poisoning.ts';
import { cacheWriteUntrusted } from './cache-write-untrusted.ts';
import { codeownersGap } from './codeowners-gap.ts';
import { compromisedActionRef } from './compromised-action-ref.ts';
import { concurrencyLimits } from './concurrency-limits.ts';
import { confusedDeputyAutoMerge } from './confused-deputy-auto-merge.ts';
import { constantCondition } from './constant-condition.ts';
import { dangerousTriggers } from './dangerous-triggers.ts';
import { debugEnabled } from './debug-enabled.ts';
import { defaultWorkflowTokenWrite } from './default-workflow-token-write.ts';
import { dependabotCooldown } from './dependabot-cooldown.ts';
import { dependabotExecution } from './dependabot-execution.ts';
import { dependencyReviewSettings } from './dependency-review-settings.ts';
import { deprecatedRuntime } from './deprecated-runtime.ts';
import { environmentUnprotected } from './environment-unprotected.ts';
import { excessiveOrgAccess } from './excessive-org-access.ts';
import { excessivePermissions } from './excessive-permissions.ts';
import { forbiddenUses } from './forbidden-uses.ts';
import { forkPrPolicy } from './fork-pr-policy.ts';
import { githubApp } from './github-app.ts';
import { githubEnv } from './github-env.ts';
import { hardcodedContainerCredentials } from './hardcoded-container-credentials.ts';
import { hardcodedSecret } from './hardcoded-secret.ts';
import { idTokenBroadScope } from './id-token-broad-scope.ts';
import { impostorCommit } from './impostor-commit.ts';
import { improperAccessControl } from './improper-access-control.ts';
import { insecureCommands } from './insecure-commands.ts';
import { insecureUrlScheme } from './insecure-url-scheme.ts';
import { insecureWebhook } from './insecure-webhook.ts';
import { invalidPin } from './invalid-pin.ts';
import { knownVulnerableActions } from './known-vulnerable-actions.ts';
import { lockfileDrift } from './lockfile-drift.ts';
import { longLivedCredentials } from './long-lived-credentials.ts';
import { lowScoreAction } from './low-score-action.ts';
import { maliciousWorkflowIndicator } from './malicious-workflow-indicator.ts';
import { misfeature } from './misfeature.ts';
import { missingDependencyUpdates } from './missing-dependency-updates.ts';
import { missingEgressControl } from './missing-egress-control.ts';
import { missingProvenance } from './missing-provenance.ts';
import { missingSbom } from './missing-sbom.ts';
import { missingTimeout } from './missing-timeout.ts';
import { missingTriggerAuthorization } from './missing-trigger-authorization.ts';
import { multipleReleasePaths } from './multiple-release-paths.ts';
import { mutableReleases } from './mutable-releases.ts';
import { obfuscation } from './obfuscation.ts';
import { oidcExposedToUntrustedTrigger } from './oidc-exposed-to-untrusted-trigger.ts';
import { oidcSubjectTooBroad } from './oidc-subject-too-broad.ts';
import { outputClobbering } from './output-clobbering.ts';
import { overprovisionedSecrets } from './overprovisioned-secrets.ts';
import { privilegedContainer } from './privileged-container.ts';
import { projectHygiene } from './project-hygiene.ts';
import { protectionBypass } from './protection-bypass.ts';
import { provenanceTenantGenerated } from './provenance-tenant-generated.ts';
import { publishedVersionMissingProvenance } from './published-version-missing-provenance.ts';
import { refConfusion } from './ref-confusion.ts';
import { refVersionMismatch } from './ref-version-mismatch.ts';
import { releaseFromArbitraryRef } from './release-from-arbitrary-ref.ts';
import { repoJacking } from './repo-jacking.ts';
import { reusableWorkflowTaint } from './reusable-workflow-taint.ts';
import { reviewNotRequired } from './review-not-required.ts';
import { runnerGroupExposed } from './runner-group-exposed.ts';
import { runnerSharedAcrossTrust } from './runner-shared-across-trust.ts';
import { secretExfiltration } from './secret-exfiltration.ts';
import { secretInLog } from './secret-in-log.ts';
import { secretScanningDisabled } from './secret-scanning-disabled.ts';
import { secretsInArtifacts } from './secrets-in-artifacts.ts';
import { secretsInherit } from './secrets-inherit.ts';
import { secretsOutsideEnv } from './secrets-outside-env.ts';
import { securityScanningDisabled } from './security-scanning-disabled.ts';
import { selfHostedRunner } from './self-hosted-runner.ts';
import { selfHostedRunnerPr } from './self-hosted-runner-pr.ts';
import { selfRepository } from './self-repository.ts';
import { shaPinningNotEnforced } from './sha-pinning-not-enforced.ts';
import { skippedRequiredCheck } from './skipped-required-check.ts';
import { sourceProvenanceMissing } from './source-provenance-missing.ts';
import { staleActionRefs } from './stale-action-refs.ts';
import { staleCredentials } from './stale-credentials.ts';
import { statusChecksNotRequired } from './status-checks-not-required.ts';
import { superfluousActions } from './superfluous-actions.ts';
import { tagDriftObserved } from './tag-drift-observed.ts';
import { tagProtectionMissing } from './tag-protection-missing.ts';
import { templateInjection } from './template-injection.ts';
import { transitiveUnpinnedUses } from './transitive-unpinned-uses.ts';
import { typosquatUses } from './typosquat-uses.ts';
import { undocumentedPermissions } from './undocumented-permissions.ts';
import { ungatedDeployment } from './ungated-deployment.ts';
import { unpinnedImages } from './unpinned-images.ts';
import { unpinnedTools } from './unpinned-tools.ts';
import { unpinnedUses } from './unpinned-uses.ts';
import { unprotectedBranch } from './unprotected-branch.ts';
import { unredactedSecrets } from './unredacted-secrets.ts';
import { unsafePrCheckoutOptIn } from './unsafe-pr-checkout-opt-in.ts';
import { unsignedCommits } from './unsigned-commits.ts';
import { unsoundCondition } from './unsound-condition.ts';
import { unsoundContains } from './unsound-contains.ts';
import { unsoundTernary } from './unsound-ternary.ts';
import { untrustedCheckout } from './untrusted-checkout.ts';
import { untrustedCheckoutExec } from './untrusted-checkout-exec.ts';
import { untrustedCheckoutToctou } from './untrusted-checkout-toctou.ts';
import { untrustedContainerImage } from './untrusted-container-image.ts';
import { unusedPermissions } from './unused-permissions.ts';
import { unverifiedArtifactConsumption } from './unverified-artifact-consumption.ts';
import { unverifiedScriptExec } from './unverified-script-exec.ts';
import { useTrustedPublishing } from './use-trusted-publishing.ts';
import { weakOrgAuthentication } from './weak-org-authentication.ts';
import { weakReviewGate } from './weak-review-gate.ts';
import { workflowEnvSecrets } from './workflow-env-secrets.ts';
import { workflowLint } from './workflow-lint.ts';
import { workflowPushesToProtectedRef } from './workflow-pushes-to-protected-ref.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  actionsCanApprovePrs,
  actionsUnrestricted,
  adhocPackages,
  aiAgentExcessiveTools,
  aiAgentUnrestrictedTrigger,
  aiAgentUnsafeSandbox,
  aiAgentUntrustedConfig,
  aiOutputInjection,
  aiPromptInjection,
  anonymousDefinition,
  archivedUses,
  argumentInjection,
  artifactPoisoning,
  artipacked,
  attestationPermissionsMissing,
  botConditions,
  branchHistoryMutable,
  buildIsolation,
  cacheModeUnset,
  cachePoisoning,
  cacheWriteUntrusted,
  codeownersGap,
  compromisedActionRef,
  concurrencyLimits,
  confusedDeputyAutoMerge,
  constantCondition,
  dangerousTriggers,
  debugEnabled,
  defaultWorkflowTokenWrite,
  dependabotCooldown,
  dependabotExecution,
  dependencyReviewSettings,
  deprecatedRuntime,
  environmentUnprotected,
  excessiveOrgAccess,
  excessivePermissions,
  forbiddenUses,
  forkPrPolicy,
  githubApp,
  githubEnv,
  hardcodedContainerCredentials,
  hardcodedSecret,
  idTokenBroadScope,
  impostorCommit,
  improperAccessControl,
  insecureCommands,
  insecureUrlScheme,
  insecureWebhook,
  invalidPin,
  knownVulnerableActions,
  lockfileDrift,
  longLivedCredentials,
  lowScoreAction,
  maliciousWorkflowIndicator,
  misfeature,
  missingDependencyUpdates,
  missingEgressControl,
  missingProvenance,
  missingSbom,
  missingTimeout,
  missingTriggerAuthorization,
  multipleReleasePaths,
  mutableReleases,
  obfuscation,
  oidcExposedToUntrustedTrigger,
  oidcSubjectTooBroad,
  outputClobbering,
  overprovisionedSecrets,
  privilegedContainer,
  projectHygiene,
  protectionBypass,
  provenanceTenantGenerated,
  publishedVersionMissingProvenance,
  refConfusion,
  refVersionMismatch,
  releaseFromArbitraryRef,
  repoJacking,
  reusableWorkflowTaint,
  reviewNotRequired,
  runnerGroupExposed,
  runnerSharedAcrossTrust,
  secretExfiltration,
  secretInLog,
  secretScanningDisabled,
  secretsInArtifacts,
  secretsInherit,
  secretsOutsideEnv,
  securityScanningDisabled,
  selfHostedRunner,
  selfHostedRunnerPr,
  selfRepository,
  shaPinningNotEnforced,
  skippedRequiredCheck,
  sourceProvenanceMissing,
  staleActionRefs,
  staleCredentials,
  statusChecksNotRequired,
  superfluousActions,
  tagDriftObserved,
  tagProtectionMissing,
  templateInjection,
  transitiveUnpinnedUses,
  typosquatUses,
  undocumentedPermissions,
  ungatedDeployment,
  unpinnedImages,
  unpinnedTools,
  unpinnedUses,
  unprotectedBranch,
  unredactedSecrets,
  unsafePrCheckoutOptIn,
  unsignedCommits,
  unsoundCondition,
  unsoundContains,
  unsoundTernary,
  untrustedCheckout,
  untrustedCheckoutExec,
  untrustedCheckoutToctou,
  untrustedContainerImage,
  unusedPermissions,
  unverifiedArtifactConsumption,
  unverifiedScriptExec,
  useTrustedPublishing,
  weakOrgAuthentication,
  weakReviewGate,
  workflowEnvSecrets,
  workflowLint,
  workflowPushesToProtectedRef,
];
