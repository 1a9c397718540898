export interface RetiredRunnerLabel {
  readonly label: string;
  readonly removed: string;
  readonly successor: string;
  readonly onlyAnnounced?: true;
}

export const HOSTED_RUNNER_LABELS = [
  'ubuntu-latest',
  'ubuntu-26.04',
  'ubuntu-26.04-arm',
  'ubuntu-24.04',
  'ubuntu-24.04-arm',
  'ubuntu-22.04',
  'ubuntu-22.04-arm',
  'ubuntu-slim',
  'windows-latest',
  'windows-2025',
  'windows-2025-vs2026',
  'windows-2022',
  'windows-11-arm',
  'windows-11-vs2026-arm',
  'macos-latest',
  'macos-latest-large',
  'macos-latest-xlarge',
  'macos-26',
  'macos-26-intel',
  'macos-26-large',
  'macos-26-xlarge',
  'macos-15',
  'macos-15-intel',
  'macos-15-large',
  'macos-15-xlarge',
  'xcode-27',
  'xcode-27-xlarge',
] as const satisfies readonly string[];

// Intel macOS labels get an Intel successor, so that the fix keeps the architecture.
export const RETIRED_RUNNER_LABELS = [
  { label: 'ubuntu-16.04', removed: '2021-09-20', successor: 'ubuntu-24.04' },
  { label: 'ubuntu-18.04', removed: '2023-04-03', successor: 'ubuntu-24.04' },
  { label: 'ubuntu-20.04', removed: '2025-04-15', successor: 'ubuntu-24.04' },
  { label: 'windows-2016', removed: '2022-04-01', successor: 'windows-2022' },
  { label: 'windows-2019', removed: '2025-06-30', successor: 'windows-2022' },
  { label: 'macos-10.15', removed: '2022-12-01', successor: 'macos-15-intel' },
  { label: 'macos-11', removed: '2024-06-28', successor: 'macos-15-intel' },
  { label: 'macos-12', removed: '2024-12-03', successor: 'macos-15-intel' },
  { label: 'macos-12-large', removed: '2024-12-03', successor: 'macos-15-large' },
  { label: 'macos-13', removed: '2025-12-04', successor: 'macos-15-intel' },
  { label: 'macos-13-large', removed: '2025-12-04', successor: 'macos-15-large' },
  { label: 'macos-13-xlarge', removed: '2025-12-04', successor: 'macos-15-xlarge' },
  { label: 'macos-14', removed: '2026-11-02', successor: 'macos-15', onlyAnnounced: true },
  { label: 'macos-14-large', removed: '2026-11-02', successor: 'macos-15-large', onlyAnnounced: true },
  { label: 'macos-14-xlarge', removed: '2026-11-02', successor: 'macos-15-xlarge', onlyAnnounced: true },
] as const satisfies readonly RetiredRunnerLabel[];

export const ABSENT_PROGRAMS: ReadonlySet<string> = new Set(
  'bun deno hatch just mise nox pdm pnpm poetry task tox uv'.split(' '),
);
