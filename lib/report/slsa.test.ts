import { describe, expect, it } from 'vitest';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { toGithub } from './github.ts';
import { toJson } from './json.ts';
import { toMarkdown } from './markdown.ts';
import { createReport, type Report } from './report.ts';
import { toSarif } from './sarif.ts';
import { toTerminal } from './terminal.ts';

const TEXT = `
on: { push: { tags: [v*] } }
jobs:
  release:
    runs-on: ubuntu-latest
    permissions: { contents: write }
    steps:
      - run: make dist
      - run: gh release create v1 dist/tool.tgz
`;

function report(ruleset: 'all' | 'slsa', root = '.'): Report {
  const repository = createRepository([{ path: '.github/workflows/release.yml', text: TEXT }]);
  return createReport('1.0.0', ruleset, [{ root, result: scanRepository(repository, { ruleset }) }]);
}

function render(of: Report): string[] {
  const terminal = toTerminal(of, { color: false, width: 100, verbose: false });
  return [terminal, toMarkdown(of), toGithub(of), toJson(of), toSarif(of)];
}

describe('evidence for SLSA levels in reports', () => {
  it('is in every format for SLSA rulesets', () => {
    const [terminal = '', markdown = '', github = '', json = '', sarif = ''] = render(report('slsa'));
    expect(terminal).toContain('SLSA Build track');
    expect(terminal).toContain('missing-provenance .github/workflows/release.yml:9');
    expect(markdown).toContain('| Build L1 | Every release has provenance | refuted |');
    expect(github).toContain('SLSA Build track: At most Build L0: Build L1 is refuted.');
    const parsed = JSON.parse(json) as { slsa: { track: string; ceiling: string | null }[] };
    expect(parsed.slsa.map(({ track, ceiling }) => [track, ceiling])).toEqual([
      ['build', null],
      ['source', null],
    ]);
    expect(sarif).toContain('"slsa": [');
  });

  it('is absent for other rulesets', () => {
    for (const text of render(report('all'))) expect(text).not.toMatch(/SLSA \w+ track|"slsa"/);
  });

  it('grants no level', () => {
    for (const text of render(report('slsa'))) {
      expect(text).not.toMatch(
        /compliant|is certified for|achieves? (?:SLSA|Build|Source)|meets (?:SLSA|Build|Source)/i,
      );
    }
  });

  it('escapes folder names', () => {
    const [, markdown = '', github = ''] = render(report('slsa', 'a\n::error::<b>|x'));
    expect(github).not.toMatch(/^::error::<b>/m);
    expect(markdown).not.toContain('<b>|x');
  });
});
