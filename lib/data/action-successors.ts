export interface ActionSuccessor {
  /** `owner/name` of the archived action, lower case. */
  readonly action: string;
  readonly successor: {
    readonly owner: string;
    readonly repo: string;
    /** Subdirectory; empty for the repository root. */
    readonly path: string;
    /** Release line that accepts the same inputs. */
    readonly tag: string;
  };
  /** One sentence on how its behaviour differs with the same inputs. */
  readonly otherwise: string;
  /** Inputs for which it accepts fewer values, with the values that both accept. */
  readonly values?: Readonly<Record<string, RegExp>>;
}

/** Archived actions whose maintained successor accepts inputs of the same names and meanings. */
export const SUCCESSORS: readonly ActionSuccessor[] = [
  {
    action: 'actions-rs/audit-check',
    successor: { owner: 'rustsec', repo: 'audit-check', path: '', tag: 'v2' },
    otherwise: 'It runs the newest cargo-audit, which may know more advisories.',
  },
  {
    action: 'actions/setup-elixir',
    successor: { owner: 'erlef', repo: 'setup-beam', path: '', tag: 'v1' },
    otherwise: 'It installs Hex and rebar too, and takes the newest release that fits a version range.',
  },
  {
    action: 'actions/setup-haskell',
    successor: { owner: 'haskell-actions', repo: 'setup', path: '', tag: 'v2' },
    otherwise: 'Its defaults for versions that are not given are newer, and it runs `cabal update`.',
  },
  {
    action: 'actions/setup-ruby',
    successor: { owner: 'ruby', repo: 'setup-ruby', path: '', tag: 'v1' },
    otherwise: 'It takes a prebuilt Ruby of that version, and the newest Bundler that works with it.',
    values: { 'ruby-version': /^\d+\.\d+(?:\.\d+)?$/ },
  },
  {
    action: 'azure/webapps-container-deploy',
    successor: { owner: 'Azure', repo: 'webapps-deploy', path: '', tag: 'v3' },
    otherwise: 'It deploys packages too; with images it does the same.',
  },
  {
    action: 'gradle/gradle-build-action',
    successor: { owner: 'gradle', repo: 'actions', path: 'setup-gradle', tag: 'v5' },
    otherwise: 'It checks the Gradle wrappers of the repository first and fails for one that it does not know.',
  },
  {
    action: 'sonarsource/sonarcloud-github-action',
    successor: { owner: 'SonarSource', repo: 'sonarqube-scan-action', path: '', tag: 'v6' },
    otherwise:
      'It runs the scanner on the runner and not in a container, and takes `args` for words and not for shell text.',
  },
];
