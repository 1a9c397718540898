import { describe, expect, it } from 'vitest';
import { parseEnv } from '#lib/env.ts';
import type { InputFile } from '#lib/workflow/repository.ts';
import { type CheckOutcome, checkChange, type Wishes } from './check-change.ts';

type Files = Readonly<Record<string, string>>;

const CI = '.github/workflows/ci.yml';
const SECOND = '.github/workflows/second.yml';
const CONFIG = '.github/chainbreak.yml';
const IGNORING = 'ignore: [{ rule: template-injection, reason: fine }]\n';
const injection = (field = 'title') => `      - run: echo "\${{ github.event.pull_request.${field} }}"\n`;
const workflow = (steps = '') =>
  `on: pull_request_target\npermissions: { contents: write }\njobs:\n  build:\n    runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    steps:\n      - run: make\n${steps}`;
const HIGH: Wishes = { failOn: 'high', newOnly: true, disabledRules: [], statusByFingerprint: {} };

function inputs(files: Files, problems: Files = {}): InputFile[] {
  const unreadable = Object.entries(problems).map(
    ([path, message]): InputFile => ({ path, text: undefined, problem: { severity: 'error', message } }),
  );
  return [...Object.entries(files).map(([path, text]) => ({ path, text })), ...unreadable];
}

interface Given {
  readonly wishes?: readonly Wishes[];
  readonly unread?: readonly string[];
  readonly problems?: { readonly base?: Files; readonly head?: Files };
}

function check(base: Files, head: Files, { wishes = [HIGH], unread = [], problems = {} }: Given = {}): CheckOutcome {
  const files = { base: inputs(base, problems.base), head: inputs(head, problems.head) };
  const read = { isRelevant: true, mergeBase: '', visibility: 'public', unread, ...files } as const;
  return checkChange(read, { fullName: 'acme/shop', wishes }, parseEnv({}));
}

const rulesOf = ({ annotations }: CheckOutcome) => annotations.map(({ title }) => title.split(':')[0]);

describe('the check of a pull request', () => {
  it('fails for a finding that it adds, at its lines, with the attack path and the one fix', () => {
    const { verdict, title, summary, annotations } = check({ [CI]: workflow() }, { [CI]: workflow(injection()) });
    expect(verdict).toBe('broken');
    expect(title).toMatch(/^\d new attack paths?, \d new findings? \(1 high/);
    expect(annotations).toContainEqual(
      expect.objectContaining({ path: CI, start_line: 9, end_line: 9, annotation_level: 'failure' }),
    );
    expect(summary).toMatch(/### (?:CRITICAL|HIGH) `[\w-]+`/);
    expect(summary).toMatch(/2\. \*\*.*`\.github\/workflows\/ci\.yml:9`/);
    expect(summary.match(/### Fix first/g)).toHaveLength(1);
    expect(summary).toMatch(/Fixing `template-injection` at `\.github\/workflows\/ci\.yml:9` ends \d attack paths?\./);
  });

  it('finds what it does not fail for, and is clean without anything new', () => {
    const without = workflow().replace('    timeout-minutes: 5\n', '');
    expect(check({ [CI]: workflow() }, { [CI]: without }).verdict).toBe('found');
    expect(check({ [CI]: without }, { [CI]: `# more\n${without}` })).toMatchObject({
      verdict: 'clean',
      title: 'Nothing new',
    });
  });

  it('counts what was there when the policy says so, after what is new', () => {
    const base = { [CI]: workflow(injection()) };
    const head = { ...base, [SECOND]: workflow().replace('    timeout-minutes: 5\n', '') };
    expect(check(base, head).verdict).not.toBe('broken');
    const all = check(base, head, { wishes: [{ ...HIGH, newOnly: false }] });
    expect(all.verdict).toBe('broken');
    const isOld = all.annotations.map(({ title }) => title.endsWith('(not new)'));
    expect(isOld).toEqual(isOld.toSorted((a, b) => Number(a) - Number(b)));
    expect(new Set(isOld)).toEqual(new Set([false, true]));
    expect(all.summary).toContain('### Findings that were there');
  });

  it('takes configuration from the base and ignores comments that the head adds', () => {
    const silent = `      # chainbreak: ignore[template-injection] fine\n${injection()}`;
    const [base, head] = [{ [CI]: workflow() }, { [CI]: workflow(injection()) }];
    expect(check(base, { [CI]: workflow(silent) }).verdict).toBe('broken');
    expect(check(base, { ...head, [CONFIG]: IGNORING }).verdict).toBe('broken');
    expect(rulesOf(check({ ...base, [CONFIG]: IGNORING }, head))).not.toContain('template-injection');
    expect(check({ [CI]: workflow(silent) }, { [CI]: workflow(`      - run: ls\n${silent}`) }).verdict).toBe('clean');
  });

  it('leaves out rules that are off and findings that are decided', () => {
    const [base, head] = [{ [CI]: workflow() }, { [CI]: workflow(injection()) }];
    const all = check(base, head);
    const disabledRules = [...new Set(rulesOf(all))].flatMap((rule) => rule ?? []);
    expect(check(base, head, { wishes: [{ ...HIGH, disabledRules }] })).toMatchObject({
      verdict: 'clean',
      annotations: [],
    });
    expect(all.annotations.length).toBeGreaterThan(0);
  });

  it('has the strictest outcome of several organizations, and what any of them counts', () => {
    const [base, head] = [{ [CI]: workflow() }, { [CI]: workflow(injection()) }];
    const never: Wishes = { ...HIGH, failOn: 'never' };
    const blind: Wishes = { ...HIGH, disabledRules: ['template-injection'] };
    expect(check(base, head, { wishes: [never] }).verdict).toBe('found');
    for (const wishes of [
      [never, HIGH],
      [HIGH, never],
      [blind, HIGH],
    ]) {
      const { verdict, annotations, summary } = check(base, head, { wishes });
      expect(verdict).toBe('broken');
      expect(annotations).toEqual(check(base, head).annotations);
      expect(summary.match(/### (?:CRITICAL|HIGH) /g)).toEqual(
        check(base, head).summary.match(/### (?:CRITICAL|HIGH) /g),
      );
    }
    const old = { ...never, newOnly: false };
    const critical: Wishes = { ...HIGH, failOn: 'critical' };
    expect(check(head, { ...head, [SECOND]: workflow() }, { wishes: [old, critical] }).verdict).not.toBe('broken');
  });

  it.each([
    ['could not be read', { problems: { head: { [SECOND]: 'The file is not text.' } } }, 'not text'],
    ['is no workflow', {}, SECOND],
    ['was left out', { unread: [SECOND] }, 'too large'],
  ] as const)('is never clean when a changed file %s', (name, given, told) => {
    const head = { [CI]: workflow(), ...(name === 'is no workflow' ? { [SECOND]: 'on: [push\n' } : {}) };
    const { verdict, title, summary } = check({ [CI]: workflow() }, head, given);
    expect([verdict, title]).toEqual(['found', expect.stringContaining('1 file not checked')]);
    expect(summary).toContain(told);
  });

  it('is clean beside a file that could not be read before either', () => {
    const problems = { base: { [SECOND]: 'The file is a link.' }, head: { [SECOND]: 'The file is a link.' } };
    expect(check({ [CI]: workflow() }, { [CI]: `# a\n${workflow()}` }, { problems }).verdict).toBe('clean');
  });
});

describe('text of a repository in a check run', () => {
  const hostile = '@team [click](https://evil.example) <img src=x> `x` | #12 \u202E';

  it('makes no link, mention, mark-up or hidden character', () => {
    const name = `.github/workflows/\`a\`|[x](https://evil.example)@team.yml`;
    const step = `      - name: ${JSON.stringify(hostile)}\n        id: 'a'\n        run: echo "\${{ github.event.pull_request.title }}"\n      - uses: 'evil/@team@main'\n`;
    const { summary, annotations, title } = check({}, { [name]: workflow(step) });
    for (const text of [summary, title, ...annotations.flatMap((each) => [each.title, each.message])]) {
      expect(text).not.toContain('\u202E');
    }
    const withoutCode = summary.replace(/`[^`\n]*`/g, '');
    expect(withoutCode).not.toMatch(/\]\(http|<img|(?<![&\w;#])@team|(?<!\\)#12/);
    expect(withoutCode).not.toContain('`');
  });

  it('stays within what the code host takes', () => {
    const steps = Array.from({ length: 190 }, (_, index) => `      - uses: acme/a${index}@main\n`).join('');
    const files = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [
        `.github/workflows/${name}${'ä'.repeat(90)}.yml`,
        workflow(steps + injection()),
      ]),
    );
    const { annotations, summary, title } = check({}, files);
    expect(annotations).toHaveLength(500);
    expect(annotations.slice(0, 4).map(({ annotation_level: level }) => level)).toEqual(Array(4).fill('failure'));
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(65_535);
    expect(title.length).toBeLessThanOrEqual(255);
    for (const each of annotations) expect(each.title.length).toBeLessThanOrEqual(255);
  });

  it('has columns only within one line', () => {
    const script = `      - run: |\n          echo "\${{ github.event.pull_request.title\n          }}"\n`;
    for (const each of check({}, { [CI]: workflow(script + injection()) }).annotations) {
      expect('start_column' in each).toBe('end_column' in each);
      if ('start_column' in each) expect(each.start_line).toBe(each.end_line);
      expect(each.end_line).toBeGreaterThanOrEqual(each.start_line);
    }
  });

  it('shows no credential', () => {
    const token = ['npm', 'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17'].join('_');
    const step = `      - run: ./deploy\n        env: { DEPLOY_TOKEN: ${token} }\n`;
    const { summary, annotations } = check({}, { [CI]: workflow(step) });
    expect(annotations.some(({ title }) => title.startsWith('hardcoded-secret'))).toBe(true);
    expect(JSON.stringify({ summary, annotations })).not.toContain(token);
  });
});
