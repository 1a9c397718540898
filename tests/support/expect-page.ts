import { expect } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import type { Rule } from '#lib/scanner/engine/rule.ts';
import { readCombinationPage } from '#lib/services/pages/combination-page.ts';
import { readRulePage } from '#lib/services/pages/rule-page.ts';
import { escapeHtml, linkedIds, textOf } from './html.ts';

type Combination = (typeof combos)[number];

export function expectRulePage({ id, meta }: Pick<Rule, 'id' | 'meta'>, html: string): void {
  expectSound(html);
  const said = [meta.why, meta.attack, meta.recommendation, meta.limits].map((text) => text.replaceAll('`', ''));
  const found = readRulePage(id)?.bad.flatMap(({ findings }) => findings.map(({ description }) => description)) ?? [];
  expectSaid(html, [...said, ...found]);
  expectReferences(html, meta.references);
}

export function expectCombinationPage(combo: Combination, html: string): void {
  expectSound(html);
  const page = readCombinationPage(combo.id);
  expectSaid(
    html,
    [
      combo.impact,
      combo.breakChain.text,
      ...combo.stages.flatMap(({ title, description }) => [title, description]),
      ...(combo.modifiers ?? []).map(({ because }) => because),
      ...(page?.bad.flatMap(({ findings }) => findings.map(({ description }) => description)) ?? []),
      ...(page?.incidents.map(({ what }) => what) ?? []),
    ].map((text) => text.replaceAll('`', '')),
  );
  expect(textOf(html).match(/Break the chain here/g)).toHaveLength(1);
  expectReferences(html, combo.references);
  const needed = Object.values(combo.slots).flatMap(({ any }) =>
    any.flatMap((each) => ('rule' in each ? each.rule : [])),
  );
  expect(linkedIds(html, 'rules')).toEqual(expect.arrayContaining(needed));
}

export function expectHead(html: string, { title, path }: { readonly title: string; readonly path: string }): void {
  expect(html).toContain(`<link rel="canonical" href="https://chainbreak.example${path}"/>`);
  expect(html).toContain(`<title>${escapeHtml(title)} · Chainbreak</title>`);
  // `toMatch` would print the whole page on failure.
  expect(/<meta name="description" content="[^"]{40,}"\/>/.test(html)).toBe(true);
  expect(/<meta name="robots" content="[^"]*noindex/.test(html)).toBe(false);
}

export function expectSound(html: string): void {
  expect(html.match(/<h1\b/g)).toHaveLength(1);
  expect(/\sstyle="|javascript:|# expect:/.exec(html)?.[0]).toBeUndefined();
  expect(/.{20}(?:undefined|\[object |NaN).{20}/.exec(textOf(html))?.[0]).toBeUndefined();
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, value]) => value);
  expect(ids).toEqual([...new Set(ids)]);
}

function expectSaid(html: string, sentences: readonly string[]): void {
  const text = textOf(html);
  expect(sentences.filter((sentence) => !text.includes(sentence))).toEqual([]);
}

function expectReferences(html: string, references: readonly string[]): void {
  const links = references.map((reference) => `href="${escapeHtml(reference)}" rel="noopener noreferrer nofollow"`);
  expect(links.filter((link) => !html.includes(link))).toEqual([]);
}
