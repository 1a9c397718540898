export const REMOVED_RUNTIMES = ['node12', 'node16', 'node20'] as const satisfies readonly string[];

export const SUPPORTED_RUNTIMES = ['composite', 'docker', 'node24'] as const satisfies readonly string[];

/** Removed runtimes whose actions runners start with the successor. */
export const LEAVING_RUNTIMES = ['node20'] as const satisfies readonly string[];

/** Last major version for `node16` or older, by lower-case `owner/repo` or `owner/repo/path`, where action-runtimes.ts lacks it. */
export const OLD_RUNTIME_MAJORS = [
  ['actions-cool/issues-helper', 2],
  ['actions-rs/audit-check', 1],
  ['actions-rs/cargo', 1],
  ['actions-rs/clippy-check', 1],
  ['actions-rs/toolchain', 1],
  ['actions/delete-package-versions', 4],
  ['azure/aks-set-context', 3],
  ['azure/container-scan', 0],
  ['dawidd6/action-download-artifact', 2],
  ['dawidd6/action-send-mail', 2],
  ['enriikke/gatsby-gh-pages-action', 2],
  ['game-ci/unity-builder', 3],
  ['githubocto/flat', 3],
  ['google-github-actions/get-secretmanager-secrets', 1],
  ['google-github-actions/upload-cloud-storage', 1],
  ['gradle/wrapper-validation-action', 1],
  ['haskell/actions/setup', 2],
  ['mikepenz/release-changelog-builder-action', 3],
  ['msys2/setup-msys2', 1],
  ['nwtgck/actions-netlify', 2],
  ['preactjs/compressed-size-action', 1],
  ['reactivecircus/android-emulator-runner', 1],
  ['ridedott/merge-me-action', 1],
  ['wearerequired/lint-action', 2],
] as const satisfies readonly (readonly [action: string, lastMajor: number])[];

export interface RefusedRelease {
  readonly action: string;
  readonly versions: readonly string[];
  readonly since: string;
  readonly successor: string;
  readonly endsSetUp: boolean;
}

export const REFUSED_RELEASES = [
  { action: 'actions/upload-artifact', versions: ['< 4'], since: '2025-01-30', successor: 'v4', endsSetUp: true },
  { action: 'actions/download-artifact', versions: ['< 4'], since: '2025-01-30', successor: 'v4', endsSetUp: true },
  {
    action: 'actions/cache',
    versions: ['< 3.4.0', '>= 4.0.0, < 4.2.0'],
    since: '2025-04-15',
    successor: 'v4',
    endsSetUp: true,
  },
  { action: 'actions/upload-pages-artifact', versions: ['< 3'], since: '2025-01-30', successor: 'v3', endsSetUp: true },
  { action: 'actions/deploy-pages', versions: ['< 4'], since: '2025-01-30', successor: 'v4', endsSetUp: false },
] as const satisfies readonly RefusedRelease[];

/** Branches that their publisher renamed; GitHub redirects no `uses` to the new name. Sources: issues 539 of setup-gcloud, 639 of r-lib. */
export const RENAMED_BRANCHES = [
  { action: 'google-github-actions/setup-gcloud', branch: 'master', since: '2022-04-05' },
  { action: 'r-lib/actions', branch: 'master', since: '2022-10-19' },
] as const satisfies readonly { readonly action: string; readonly branch: string; readonly since: string }[];

/** Tags that no longer move to new versions, although their names say so. Source: tags of the repositories, 2026-08-22. */
export const FROZEN_CHANNELS: ReadonlySet<string> = new Set(['anthropics/claude-code-action@beta']);
