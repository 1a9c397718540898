export interface MovedAction {
  readonly action: string;
  readonly to: string;
}

export const MOVED_ACTIONS = [
  { action: 'cla-assistant/github-action', to: 'contributor-assistant/github-action' },
  { action: 'crazy-max/ghaction-docker-meta', to: 'docker/metadata-action' },
  { action: 'crazy-max/ghaction-setup-docker', to: 'docker/setup-docker-action' },
  { action: 'eifinger/setup-uv', to: 'astral-sh/setup-uv' },
  { action: 'erlef/setup-elixir', to: 'erlef/setup-beam' },
  { action: 'eskatos/gradle-command-action', to: 'gradle/gradle-build-action' },
  { action: 'fwal/setup-swift', to: 'swift-actions/setup-swift' },
  { action: 'github/contributors', to: 'github-community-projects/contributors' },
  { action: 'goanpeca/setup-miniconda', to: 'conda-incubator/setup-miniconda' },
  { action: 'imjasonh/setup-ko', to: 'ko-build/setup-ko' },
  { action: 'jamescurtin/isort-action', to: 'isort/isort-action' },
  { action: 'jetpack-io/devbox-install-action', to: 'jetify-com/devbox-install-action' },
  { action: 'kamiazya/setup-graphviz', to: 'ts-graphviz/setup-graphviz' },
  { action: 'marcoieni/release-plz-action', to: 'release-plz/action' },
  { action: 'messense/maturin-action', to: 'PyO3/maturin-action' },
  { action: 'mymindstorm/setup-emsdk', to: 'emscripten-core/setup-emsdk' },
  { action: 'nick-invision/retry', to: 'nick-fields/retry' },
  { action: 'oprypin/install-crystal', to: 'crystal-lang/install-crystal' },
  { action: 'returntocorp/semgrep-action', to: 'semgrep/semgrep-action' },
  { action: 'rhysd/github-action-benchmark', to: 'benchmark-action/github-action-benchmark' },
  { action: 'sqren/backport-github-action', to: 'sorenlouv/backport-github-action' },
  { action: 'vedantmgoyal2009/winget-releaser', to: 'vedantmgoyal9/winget-releaser' },
  { action: 'zeebe-io/backport-action', to: 'korthout/backport-action' },
  { action: 'zricethezav/gitleaks-action', to: 'gitleaks/gitleaks-action' },
] as const satisfies readonly MovedAction[];
