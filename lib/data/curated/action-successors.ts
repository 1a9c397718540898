export interface ActionSuccessor {
  readonly action: string;
  readonly successor: {
    readonly owner: string;
    readonly repo: string;
    readonly path: string;
    readonly tag: string;
  };
  readonly otherwise: string;
  readonly values?: Readonly<Record<string, RegExp>>;
}

export const SUCCESSORS: readonly ActionSuccessor[] = [
  {
    action: 'actions-rs/audit-check',
    successor: { owner: 'rustsec', repo: 'audit-check', path: '', tag: 'v2' },
    otherwise: 'It runs the newest cargo-audit, which may report more advisories.',
  },
  {
    action: 'actions/setup-elixir',
    successor: { owner: 'erlef', repo: 'setup-beam', path: '', tag: 'v1' },
    otherwise: 'It also installs Hex and rebar, and resolves a version range to the newest matching release.',
  },
  {
    action: 'actions/setup-haskell',
    successor: { owner: 'haskell-actions', repo: 'setup', path: '', tag: 'v2' },
    otherwise: 'It has newer default versions and runs `cabal update`.',
  },
  {
    action: 'actions/setup-ruby',
    successor: { owner: 'ruby', repo: 'setup-ruby', path: '', tag: 'v1' },
    otherwise: 'It installs a prebuilt Ruby of that version and the newest compatible Bundler.',
    values: { 'ruby-version': /^\d+\.\d+(?:\.\d+)?$/ },
  },
  {
    action: 'azure/webapps-container-deploy',
    successor: { owner: 'Azure', repo: 'webapps-deploy', path: '', tag: 'v3' },
    otherwise: 'It can also deploy packages; for images it behaves the same.',
  },
  {
    action: 'gradle/gradle-build-action',
    successor: { owner: 'gradle', repo: 'actions', path: 'setup-gradle', tag: 'v5' },
    otherwise: 'It first validates the repository’s Gradle wrappers and fails on an unknown one.',
  },
  {
    action: 'sonarsource/sonarcloud-github-action',
    successor: { owner: 'SonarSource', repo: 'sonarqube-scan-action', path: '', tag: 'v6' },
    otherwise:
      'It runs the scanner directly on the runner instead of in a container, and parses `args` as words instead of shell text.',
  },
];
