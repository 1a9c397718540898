import type { Combo } from '../combo.ts';
import { agentConfiguredByFork } from './agent-configured-by-fork.ts';
import { aiAgentWithHands } from './ai-agent-with-hands.ts';
import { aiAnswerBecomesCode } from './ai-answer-becomes-code.ts';
import { aiApprovalAutomerge } from './ai-approval-automerge.ts';
import { anyWriterReachesProduction } from './any-writer-reaches-production.ts';
import { approvedThenSwapped } from './approved-then-swapped.ts';
import { botImpersonationAutomerge } from './bot-impersonation-automerge.ts';
import { commentCommandWithoutAuthorization } from './comment-command-without-authorization.ts';
import { dispatchInputToPrivilegedShell } from './dispatch-input-to-privileged-shell.ts';
import { envFileHijack } from './env-file-hijack.ts';
import { eventTextToShellWithCredentials } from './event-text-to-shell-with-credentials.ts';
import { fetchedScriptBesideSecrets } from './fetched-script-beside-secrets.ts';
import { fetchedScriptInRelease } from './fetched-script-in-release.ts';
import { floatingDependencyInRelease } from './floating-dependency-in-release.ts';
import { forgedPin } from './forged-pin.ts';
import { forkArtifactInPrivilegedRun } from './fork-artifact-in-privileged-run.ts';
import { forkArtifactToRelease } from './fork-artifact-to-release.ts';
import { forkCodeOnPersistentRunner } from './fork-code-on-persistent-runner.ts';
import { forkCodeWithCredentials } from './fork-code-with-credentials.ts';
import { gitCredentialInArtifact } from './git-credential-in-artifact.ts';
import { inheritedSecretsToMutableCallee } from './inherited-secrets-to-mutable-callee.ts';
import { inputLaundering } from './input-laundering.ts';
import { knownBadActionWithCredentials } from './known-bad-action-with-credentials.ts';
import { mutableActionBesideOidc } from './mutable-action-beside-oidc.ts';
import { mutableActionBesidePublishToken } from './mutable-action-beside-publish-token.ts';
import { mutableActionWithAllSecrets } from './mutable-action-with-all-secrets.ts';
import { mutableImageBesideCredentials } from './mutable-image-beside-credentials.ts';
import { passwordInPublicFile } from './password-in-public-file.ts';
import { provenanceWithoutIsolation } from './provenance-without-isolation.ts';
import { runnerSharedAcrossTrust } from './runner-shared-across-trust.ts';
import { secretsSentToStranger } from './secrets-sent-to-stranger.ts';
import { trustedWriterToReleaseCache } from './trusted-writer-to-release-cache.ts';
import { untrustedRunToReleaseCache } from './untrusted-run-to-release-cache.ts';

export const combos: readonly Combo[] = [
  agentConfiguredByFork,
  aiAgentWithHands,
  aiAnswerBecomesCode,
  aiApprovalAutomerge,
  anyWriterReachesProduction,
  approvedThenSwapped,
  botImpersonationAutomerge,
  commentCommandWithoutAuthorization,
  dispatchInputToPrivilegedShell,
  envFileHijack,
  eventTextToShellWithCredentials,
  fetchedScriptBesideSecrets,
  fetchedScriptInRelease,
  floatingDependencyInRelease,
  forgedPin,
  forkArtifactInPrivilegedRun,
  forkArtifactToRelease,
  forkCodeOnPersistentRunner,
  forkCodeWithCredentials,
  gitCredentialInArtifact,
  inheritedSecretsToMutableCallee,
  inputLaundering,
  knownBadActionWithCredentials,
  mutableActionBesideOidc,
  mutableActionBesidePublishToken,
  mutableActionWithAllSecrets,
  mutableImageBesideCredentials,
  passwordInPublicFile,
  provenanceWithoutIsolation,
  runnerSharedAcrossTrust,
  secretsSentToStranger,
  trustedWriterToReleaseCache,
  untrustedRunToReleaseCache,
];
