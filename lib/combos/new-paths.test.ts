import { describe, expect, it } from 'vitest';
import { NO_FACTS } from '#lib/facts/facts.ts';
import { scanRepository } from '#lib/scanner/scan.ts';
import { createRepository } from '#lib/workflow/repository.ts';
import { collectEvidence, storableEvidence } from './evidence.ts';
import { findPaths } from './match.ts';
import { newPaths } from './new-paths.ts';

const STEP = '      - run: echo "${{ github.event.issue.title }}"\n        env: { KEY: "${{ secrets.KEY }}" }\n';
const JOB = `  greet:\n    runs-on: ubuntu-latest\n    steps:\n${STEP}`;
const WORKFLOW = `on: issues\npermissions: {}\njobs:\n${JOB}`;

function evidenceOf(...texts: readonly string[]) {
  const repository = createRepository(texts.map((text, n) => ({ path: `.github/workflows/w${n}.yml`, text })));
  return collectEvidence(repository, scanRepository(repository).findings, NO_FACTS);
}
const pathsOf = (...texts: readonly string[]) => findPaths(evidenceOf(...texts));
const added = (before: readonly string[], after: readonly string[]) =>
  newPaths(pathsOf(...before), pathsOf(...after)).map(({ file, job }) => [file, job]);

describe('a path is new', () => {
  it('that no path of the kind was in its job before', () => {
    expect(added([], [WORKFLOW])).toEqual([['.github/workflows/w0.yml', 'greet']]);
    expect(added([WORKFLOW], [WORKFLOW, WORKFLOW])).toEqual([['.github/workflows/w1.yml', 'greet']]);
    const two = `${WORKFLOW}${JOB.replace('greet', 'again')}`;
    expect(added([WORKFLOW], [two])).toEqual([['.github/workflows/w0.yml', 'again']]);
  });

  it('but not for lines that moved, a further finding, another severity, or one that is gone', () => {
    expect(added([WORKFLOW], [`# moved\n\n${WORKFLOW}`])).toEqual([]);
    expect(added([WORKFLOW], [WORKFLOW + STEP.replace('title', 'body')])).toEqual([]);
    expect(added([WORKFLOW, WORKFLOW], [WORKFLOW])).toEqual([]);
    const [open, closed] = [findPaths(evidenceOf(WORKFLOW)), findPaths(evidenceOf(WORKFLOW), { isPrivate: true })];
    expect(open.map(({ severity }) => severity)).not.toEqual(closed.map(({ severity }) => severity));
    expect(newPaths(closed, open)).toEqual([]);
  });
});

describe('evidence to be stored', () => {
  it('is what was collected, where that fits', () => {
    const evidence = evidenceOf(WORKFLOW);
    expect(storableEvidence(evidence)).toEqual({ evidence, whole: true });
  });

  it('has neither NUL nor half a surrogate pair, which no database takes', () => {
    const [finding] = evidenceOf(WORKFLOW).findings;
    if (finding === undefined) throw new Error('no finding');
    const attributes = { text: 'a\0b', list: ['\uD800c'] };
    const { evidence } = storableEvidence({ version: 1, findings: [{ ...finding, attributes }], facts: [] });
    expect(evidence.findings[0]?.attributes).toEqual({ text: 'a\uFFFDb', list: ['\uFFFDc'] });
  });

  it('is cut at some megabytes, and says so', () => {
    const { findings, facts } = evidenceOf(WORKFLOW);
    const [finding, fact] = [findings[0], facts[0]];
    if (finding === undefined || fact === undefined) throw new Error('nothing to repeat');
    const long = { ...finding, attributes: { list: Array.from({ length: 100 }, () => 'x'.repeat(300)) } };
    const many = { version: 1, findings: Array.from({ length: 1_000 }, () => long), facts } as const;
    const cut = storableEvidence(many);
    expect(cut.whole).toBe(false);
    expect(cut.evidence.findings.length).toBeLessThan(1_000);
    expect(cut.evidence.facts).toEqual(facts);
    expect(JSON.stringify(cut.evidence).length).toBeLessThan(8_000_000);
    const wide = { ...fact, attributes: { list: Array.from({ length: 30 }, () => 'x'.repeat(200)) } };
    const facty = storableEvidence({ version: 1, findings, facts: Array.from({ length: 1_000 }, () => wide) });
    expect(facty.whole).toBe(false);
    expect(JSON.stringify(facty.evidence.facts).length).toBeLessThan(2_100_000);
  });
});
