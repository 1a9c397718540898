import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { jobOf, type Step } from '#lib/workflow/model/model.ts';

export interface PackageRegistry {
  readonly name: string;
  readonly variables: RegExp;
  readonly command: RegExp;
  readonly elsewhere: RegExp;
}

export const PACKAGE_REGISTRIES = [
  {
    name: 'PyPI',
    variables:
      /^(?:TWINE_PASSWORD|UV_PUBLISH_(?:TOKEN|PASSWORD)|POETRY_PYPI_TOKEN_PYPI|MATURIN_PYPI_TOKEN|FLIT_PASSWORD|HATCH_INDEX_AUTH)$/,
    command:
      /^(?:(?:python(?:3(?:\.\d+)?)? -m |py -m |pipx run |uvx |uv tool run |(?:hatch|pdm|pipenv|poetry|rye|uv) run )?twine(?:[=@]\S+)? upload|uv publish|poetry publish|maturin (?:publish|upload)|flit publish|hatch publish)\b/,
    elsewhere:
      /--repository-url|--index-url|--publish-url|--index\b|-r (?!pypi|testpypi)|--repository(?:=| )(?!pypi|testpypi)/,
  },
  {
    name: 'npm',
    variables: /^(?:NODE_AUTH_TOKEN|NPM_TOKEN|NPM_AUTH_TOKEN|NPM_CONFIG__?AUTH_?TOKEN|YARN_NPM_AUTH_TOKEN)$/i,
    command:
      /^(?:npm|pnpm|bun)(?: -\S+)* publish\b|^yarn npm publish\b|^(?:npx |pnpm |yarn )?(?:changeset publish|lerna publish|semantic-release)\b/,
    elsewhere: /--registry(?:=| )(?!https:\/\/registry\.npmjs\.org)/,
  },
  {
    name: 'crates.io',
    variables: /^CARGO_REGISTRY_TOKEN$/,
    command: /^cargo(?: \+\S+)? publish\b/,
    elsewhere: /--registry|--index/,
  },
  {
    name: 'RubyGems.org',
    variables: /^(?:GEM_HOST_API_KEY|RUBYGEMS_API_KEY)$/,
    command: /^(?:gem push\b|bundle exec rake release(?![:\w-]))/,
    elsewhere: /--host/,
  },
  {
    name: 'NuGet.org',
    variables: /^NUGET_(?:API_KEY|TOKEN|KEY)$/,
    command: /^dotnet nuget push\b/,
    elsewhere: /(?:-s|--source)(?:=| )["']?(?!["']?(?:https:\/\/(?:api|www)\.nuget\.org|nuget\.org))/,
  },
] as const satisfies readonly PackageRegistry[];

export function leadsElsewhere(step: Step, registry: Pick<PackageRegistry, 'name'>): boolean {
  const variables = [...(step.env?.entries ?? []), ...(jobOf(step)?.env?.entries ?? [])];
  if (
    variables.some(
      ({ name, value }) =>
        /_(?:REPOSITORY_URL|PUBLISH_URL|REGISTRY|HOST)$/i.test(name) &&
        value.value !== '' &&
        !/npmjs|pypi\.org|rubygems\.org/.test(value.value),
    )
  ) {
    return true;
  }
  if (registry.name !== 'npm') return false;
  const setUps = step.parent.steps
    .slice(0, step.index)
    .filter((other) => actionOf(other)?.slug === 'actions/setup-node');
  const url = setUps.map((other) => inputOf(other, 'registry-url')?.value).findLast((value) => value !== undefined);
  return url !== undefined && !/\bnpmjs\b/.test(url);
}
