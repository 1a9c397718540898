import type { Metadata } from 'next';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { combos } from '#lib/combos/combos/index.ts';
import { rules } from '#lib/scanner/rules/index.ts';
import * as combinationPage from '../../app/(site)/attack-paths/[id]/page.tsx';
import * as rulePage from '../../app/(site)/rules/[id]/page.tsx';
import { expectCombinationPage, expectRulePage } from '../support/expect-page.ts';

interface PageModule {
  readonly default: (props: { readonly params: Promise<{ readonly id: string }> }) => Promise<ReactElement>;
  readonly generateMetadata: (props: { readonly params: Promise<{ readonly id: string }> }) => Promise<Metadata>;
}

async function render(page: PageModule, id: string): Promise<{ html: string; head: Metadata }> {
  const params = Promise.resolve({ id });
  return { html: renderToStaticMarkup(await page.default({ params })), head: await page.generateMetadata({ params }) };
}

function expectMetadata({ title, description, alternates, robots }: Metadata, expected: string, path: string): void {
  expect([title, alternates?.canonical, robots]).toEqual([expected, path, undefined]);
  expect(description?.length).toBeGreaterThanOrEqual(40);
}

describe('the page of a rule says all that the rule says', () => {
  it.each(rules.map((rule) => [rule.id, rule] as const))('%s', async (id, rule) => {
    const { html, head } = await render(rulePage, id);
    expectRulePage(rule, html);
    expectMetadata(head, `${rule.meta.title} (${id})`, `/rules/${id}`);
  });
});

describe('the page of an attack path says all that its combination says', () => {
  it.each(combos.map((combo) => [combo.id, combo] as const))('%s', async (id, combo) => {
    const { html, head } = await render(combinationPage, id);
    expectCombinationPage(combo, html);
    expectMetadata(head, `${combo.title} (${id})`, `/attack-paths/${id}`);
  });
});
