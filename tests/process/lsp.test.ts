import { mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { CodeAction, Diagnostic, Hover, Range, TextEdit } from 'vscode-languageserver-protocol';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { spawnCli, temporaryFolder } from '../support/cli.ts';
import { EDITOR, LanguageClient } from '../support/language-client.ts';

const CI = '.github/workflows/ci.yml';
const SAFE = `name: Reply
on: issue_comment
permissions: {}
concurrency: { group: reply, cancel-in-progress: true }
jobs:
  reply:
    name: Reply
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - run: |
          echo start
          echo done
`;
const UNSAFE = SAFE.replace('echo done', 'echo "${{ github.event.comment.body }}"');

const CALLER = UNSAFE.replace(
  'steps:\n',
  'steps:\n      - uses: ./.github/actions/say\n        with:\n          text: ${{ github.event.comment.body }}\n',
);
const SAY = `name: A
description: a
inputs: { text: { description: t } }
runs:
  using: composite
  steps:
    - run: make
      shell: bash
`;

const clients: LanguageClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.kill();
});

async function editor(...args: Parameters<LanguageClient['start']>): Promise<LanguageClient> {
  const client = new LanguageClient();
  clients.push(client);
  await client.start(...args);
  return client;
}

const codes = (diagnostics: readonly Diagnostic[]): unknown[] => diagnostics.map(({ code }) => code);
const has = (rule: string) => (diagnostics: readonly Diagnostic[]) => codes(diagnostics).includes(rule);
const lacks = (rule: string) => (diagnostics: readonly Diagnostic[]) => !codes(diagnostics).includes(rule);
const find = (diagnostics: readonly Diagnostic[], rule: string): Diagnostic =>
  diagnostics.find(({ code }) => code === rule) as Diagnostic;

function textOf(hover: Hover | null): string {
  const contents = hover?.contents;
  return typeof contents === 'object' && 'value' in contents ? contents.value : '';
}

function apply(text: string, { edit }: CodeAction): string {
  const [change] = edit?.documentChanges ?? [];
  const edits =
    change !== undefined && 'edits' in change ? (change.edits as TextEdit[]) : Object.values(edit?.changes ?? {})[0];
  return TextDocument.applyEdits(TextDocument.create('a:', '', 1, text), edits ?? []);
}

async function action(client: LanguageClient, uri: string, range: Range, title: string): Promise<CodeAction> {
  const found = (await client.actions(uri, range)).find((each) => each.title.startsWith(title));
  if (found === undefined) throw new Error(`no action "${title}"`);
  return client.resolve(found);
}

describe('chainbreak lsp: diagnostics', () => {
  it('shows what scan reports, at the same places', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE, '.github/workflows/other.yml': UNSAFE });
    const client = await editor();
    const uri = await client.open(join(folder, CI), UNSAFE);
    const shown = await client.shown(uri, has('template-injection'));
    const { findings } = JSON.parse(spawnCli(['scan', folder, '--format', 'json']).stdout) as {
      findings: { rule_id: string; file: string; line: number; column: number; end_line: number; end_column: number }[];
    };
    const own = findings.filter(({ file }) => file === CI);
    expect(own.length).toBeGreaterThan(0);
    expect(
      shown.map(({ code, range: { start, end } }) => [code, start.line, start.character, end.line, end.character]),
    ).toEqual(
      own.map((each) => [each.rule_id, each.line - 1, each.column - 1, each.end_line - 1, each.end_column - 1]),
    );
    expect(find(shown, 'template-injection')).toMatchObject({ severity: 1, source: 'chainbreak' });
  });

  it('follows each keystroke of a text that was never saved', async () => {
    const folder = temporaryFolder({ [CI]: SAFE });
    const client = await editor();
    const uri = await client.open(join(folder, CI), SAFE);
    await client.shown(uri, lacks('template-injection'));
    const typed = '${{ github.event.comment.body }}';
    for (const [index, character] of typed.split('').entries()) {
      const at = { line: 12, character: 10 + 'echo done'.length + index };
      await client.change(uri, index + 2, character, { start: at, end: at });
    }
    const shown = await client.shown(
      uri,
      (diagnostics, version) => version === typed.length + 1 && has('template-injection')(diagnostics),
    );
    expect(find(shown, 'template-injection').range.start.line).toBe(12);
    await client.change(uri, 100, SAFE);
    await client.shown(uri, lacks('template-injection'));
  });

  it('reads other documents as they are open, not as they are on disk', async () => {
    const file = '.github/actions/say/action.yml';
    const folder = temporaryFolder({ [CI]: CALLER, [file]: SAY });
    const client = await editor();
    const uri = await client.open(join(folder, file), SAY);
    await client.shown(uri, lacks('reusable-workflow-taint'));
    await client.change(uri, 2, SAY.replace('make', 'echo "${{ inputs.text }}"'));
    await client.shown(uri, has('reusable-workflow-taint'));
    const workflow = await client.open(join(folder, CI), SAFE);
    await client.shown(workflow, lacks('template-injection'));
    await client.shown(uri, lacks('reusable-workflow-taint'));
    await client.close(workflow);
    expect(codes(await client.shown(uri, has('reusable-workflow-taint')))).toContain('reusable-workflow-taint');
  });

  it('says nothing of other files, and takes back what it said of a closed one', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE, 'docs/ci.yml': UNSAFE });
    const client = await editor();
    const other = await client.open(join(folder, 'docs/ci.yml'), UNSAFE);
    const none = await client.open('/no/such/folder/.github/workflows/a.yml', UNSAFE);
    const uri = await client.open(join(folder, CI), UNSAFE);
    await client.shown(uri, has('template-injection'));
    expect(await client.hover(other, 12, 20)).toBeNull();
    expect(await client.actions(none, { start: { line: 0, character: 0 }, end: { line: 20, character: 0 } })).toEqual(
      [],
    );
    await client.close(uri);
    await client.shown(uri, (diagnostics) => diagnostics.length === 0);
  });

  it('reports a text that cannot be parsed, and finds again what comes back', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const client = await editor();
    const uri = await client.open(join(folder, CI), '[');
    const [problem] = await client.shown(uri, (diagnostics) => diagnostics.length > 0);
    expect(problem).toMatchObject({ severity: 1, source: 'chainbreak' });
    await client.change(uri, 2, UNSAFE);
    await client.shown(uri, has('template-injection'));
  });
});

describe('chainbreak lsp: configuration', () => {
  const CONFIG = '.github/chainbreak.yml';
  const IGNORES = `ignore:\n  - rule: template-injection\n    path: ${CI}\n    reason: tried\n`;

  it('is read again when it changes on disk, in the editor, or with a save of an editor that tells nothing', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const client = await editor();
    const uri = await client.open(join(folder, CI), UNSAFE);
    await client.shown(uri, has('template-injection'));
    expect(client.registered).toContain('workspace/didChangeWatchedFiles');
    writeFileSync(join(folder, CONFIG), IGNORES);
    await client.changedOnDisk(join(folder, CONFIG));
    await client.shown(uri, lacks('template-injection'));
    const config = await client.open(join(folder, CONFIG), '');
    await client.shown(uri, has('template-injection'));
    await client.close(config);
    await client.shown(uri, lacks('template-injection'));

    const silent = await editor({});
    const same = await silent.open(join(folder, CI), UNSAFE);
    await silent.shown(same, lacks('template-injection'));
    unlinkSync(join(folder, CONFIG));
    await silent.save(same);
    await silent.shown(same, has('template-injection'));
  });

  it('takes severities and opinions from the settings of the editor', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE.replace('permissions: {}\n', '') });
    const client = await editor(EDITOR, { minSeverity: 'high' });
    const uri = await client.open(join(folder, CI), UNSAFE.replace('permissions: {}\n', ''));
    const high = await client.shown(uri, has('template-injection'));
    expect(high.every(({ severity }) => severity === 1)).toBe(true);
    await client.configure({ minSeverity: 'info', pedantic: true });
    const all = await client.shown(uri, (diagnostics) => diagnostics.length > high.length);
    expect(all.some(({ severity }) => severity !== 1)).toBe(true);
    await client.configure({ minSeverity: 7, pedantic: 'yes' });
    await client.shown(uri, (diagnostics) => diagnostics.length < all.length && diagnostics.length > high.length);
  });
});

describe('chainbreak lsp: hover', () => {
  it('says why a finding matters, how it is exploited and how it is fixed', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const client = await editor();
    const uri = await client.open(join(folder, CI), UNSAFE);
    const { range } = find(await client.shown(uri, has('template-injection')), 'template-injection');
    const hover = await client.hover(uri, range.start.line, range.start.character + 1);
    expect(hover?.contents).toMatchObject({ kind: 'markdown' });
    const value = textOf(hover);
    expect(value).toMatch(/\*\*template-injection\*\*.*HIGH/);
    for (const part of [
      '**Why it matters.**',
      '**How it is exploited.**',
      '**How to fix it.**',
      'chainbreak explain template-injection',
    ]) {
      expect(value).toContain(part);
    }
    expect(await client.hover(uri, 0, 0)).toBeNull();
  });

  it('shows markup of the file as text', async () => {
    const hostile = SAFE.replace(
      'steps:\n',
      "steps:\n      - uses: '<img src=x>[a](https://evil.example)/b@v1'\n      - uses: 'a/b@[x](https://evil.example)<b>'\n",
    );
    const folder = temporaryFolder({ [CI]: hostile });
    const client = await editor();
    const uri = await client.open(join(folder, CI), hostile);
    const shown = (await client.shown(uri, (diagnostics) => diagnostics.length > 0)).filter(({ message }) =>
      JSON.stringify(message).includes('](https://evil.example)'),
    );
    expect(shown.length).toBeGreaterThan(0);
    for (const { code, range } of shown.filter((each) => each.code !== undefined)) {
      const hover = await client.hover(uri, range.start.line, range.start.character);
      const value = textOf(hover);
      expect(value, String(code)).toContain('evil');
      expect(value, String(code)).not.toMatch(/<img|<b>|(?<!\\)\]\(/);
    }
  });
});

describe('chainbreak lsp: actions', () => {
  it('fixes one finding with a verified edit, and all safe ones at once', async () => {
    const folder = temporaryFolder({ [CI]: CALLER, '.github/actions/say/action.yml': SAY });
    const client = await editor(EDITOR, { pedantic: true });
    const uri = await client.open(join(folder, CI), CALLER);
    const shown = await client.shown(uri, has('template-injection'));
    const single = await action(client, uri, find(shown, 'template-injection').range, 'Fix template-injection');
    expect(single).toMatchObject({ kind: 'quickfix', isPreferred: true });
    const fixed = apply(CALLER, single);
    expect(fixed).toContain('COMMENT_BODY: ${{ github.event.comment.body }}');
    expect(fixed).toContain('uses: ./.github/actions/say');
    await client.change(uri, 2, fixed);
    const left = await client.shown(
      uri,
      (diagnostics, version) => version === 2 && lacks('template-injection')(diagnostics),
    );
    expect(codes(left)).toContain('self-repository');

    const everything = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    const [all, ...more] = await client.actions(uri, everything, { only: ['source.fixAll'] });
    expect(more).toEqual([]);
    const whole = apply(fixed, await client.resolve(all as CodeAction));
    expect(whole).toContain('uses: $/.github/actions/say');
    spawnCli(['fix', folder]);
    expect(whole).toBe(readFileSync(join(folder, CI), 'utf8'));
  });

  it('suppresses one finding where a comment can stand, also in a script', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const client = await editor();
    const uri = await client.open(join(folder, CI), UNSAFE);
    const { range } = find(await client.shown(uri, has('template-injection')), 'template-injection');
    const text = apply(UNSAFE, await action(client, uri, range, 'Suppress template-injection'));
    expect(text).toContain('    steps:\n      # chainbreak: ignore[template-injection]\n      - run: |\n');
    await client.change(uri, 2, text);
    await client.shown(uri, lacks('template-injection'));
  });

  it('gives edits at once to an editor that does not ask for them later, without versions if it knows none', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const client = await editor({});
    const uri = await client.open(join(folder, CI), UNSAFE);
    const { range } = find(await client.shown(uri, has('template-injection')), 'template-injection');
    const fix = (await client.actions(uri, range)).find(({ title }) => title === 'Fix template-injection');
    expect(Object.keys(fix?.edit?.changes ?? {})).toEqual([uri]);
    expect(apply(UNSAFE, fix as CodeAction)).toContain('COMMENT_BODY: ${{ github.event.comment.body }}');
  });

  it('refuses an edit of a text that changed since, and an action that it never offered', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE });
    const client = await editor();
    const uri = await client.open(join(folder, CI), UNSAFE);
    const { range } = find(await client.shown(uri, has('template-injection')), 'template-injection');
    const [offered] = await client.actions(uri, range);
    await client.change(uri, 2, `# one more line\n${UNSAFE}`);
    await expect(client.resolve(offered as CodeAction)).rejects.toThrow('The document has changed.');
    await expect(client.resolve({ title: 'x', data: { uri: 7 } })).rejects.toThrow('Unknown action.');
  });
});

describe('chainbreak lsp: hostile input', () => {
  it('survives files and documents beyond every limit, and goes on', async () => {
    const folder = temporaryFolder({ [CI]: UNSAFE, '.github/workflows/zero.yml': 'a\0b' });
    const secret = join(temporaryFolder({ 'secret.yml': 'on: push\n' }), 'secret.yml');
    symlinkSync(secret, join(folder, '.github/workflows/link.yml'));
    mkdirSync(join(folder, '.github/workflows/folder.yml'));
    const client = await editor();
    const uri = await client.open(join(folder, CI), `# ${'x'.repeat(1_100_000)}\n`);
    const [problem] = await client.shown(uri, (diagnostics) => diagnostics.length > 0);
    expect(problem?.message).toContain('bytes');
    await client.change(uri, 2, '['.repeat(200_000));
    await client.shown(uri, (diagnostics, version) => version === 2 && diagnostics.length > 0);
    await client.change(uri, 3, `a: &a [x]\n${'b: [*a, *a, *a]\n'.repeat(5_000)}`);
    await client.shown(uri, (_, version) => version === 3);
    await client.change(uri, 4, UNSAFE);
    await client.shown(uri, has('template-injection'));
    for (const odd of ['file:///%00', 'file://host/share/.github/workflows/a.yml', 'untitled:Untitled-1', 'x']) {
      expect(
        await client.request('textDocument/hover', { textDocument: { uri: odd }, position: { line: 0, character: 0 } }),
      ).toBeNull();
    }
    await client.changedOnDisk(join(folder, '.github/workflows/link.yml'));
    expect(await client.hover(uri, 12, 20)).not.toBeNull();
    expect(client.errors).toBe('');
  });

  it('answers an unknown request with an error', async () => {
    const client = await editor();
    await expect(client.request('workspace/nothing', {})).rejects.toThrow();
  });
});

describe('chainbreak lsp: its process', () => {
  it('names itself, and ends with 0 after a shutdown and with 1 when the editor hangs up', async () => {
    const client = new LanguageClient();
    clients.push(client);
    const { serverInfo, capabilities } = await client.start();
    expect(serverInfo?.name).toBe('chainbreak');
    expect(capabilities).toMatchObject({ hoverProvider: true, codeActionProvider: { resolveProvider: true } });
    expect(await client.stop()).toBe(0);
    const other = await editor();
    other.hangUp();
    expect(await other.ended).toBe(1);
  });

  it('opens a repository by its uri however it is written', async () => {
    const folder = temporaryFolder({ 'a b/.github/workflows/ç.yml': UNSAFE });
    const client = await editor();
    const file = join(folder, 'a b/.github/workflows/ç.yml');
    expect(await client.open(file, UNSAFE)).toBe(pathToFileURL(file).href);
    await client.shown(pathToFileURL(file).href, has('template-injection'));
  });
});
