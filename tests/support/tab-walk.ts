import type { Page } from 'playwright-core';

const MOST_STOPS = 400;

export interface TabWalk {
  readonly stops: readonly string[];
  readonly faults: readonly string[];
}

/**
 * Presses Tab from the top of the page to its end. Faults are controls that are missed or visited twice, a focus that
 * does not show or is covered, and steps against the order in which people read.
 */
export async function walkByTab(page: Page): Promise<TabWalk> {
  await page.evaluate(() => {
    for (const marked of document.querySelectorAll('[data-tab-stop]')) marked.removeAttribute('data-tab-stop');
    // Also where the search for the next stop begins.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute('tabindex');
    scrollTo(0, 0);
  });
  const stops: string[] = [];
  const faults: string[] = [];
  let isDone = false;
  while (!isDone && stops.length < MOST_STOPS) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(visitStop, stops.length);
    isDone = stop === null;
    if (stop === null) continue;
    stops.push(stop.name);
    faults.push(...stop.faults);
    if (stop.isRepeated) isDone = true;
  }
  if (!isDone) faults.push(`The focus is still on the way after ${MOST_STOPS} stops`);
  faults.push(...(await page.evaluate(missedControls)));
  return { stops, faults };
}

function visitStop(index: number): { name: string; faults: string[]; isRepeated: boolean } | null {
  const { activeElement: element } = document;
  if (element === null || element === document.body) return null;
  const nameOf = (each: Element): string => {
    const text = each.getAttribute('aria-label') ?? each.textContent?.trim() ?? '';
    const label = text === '' ? ((each as HTMLInputElement).labels?.[0]?.textContent ?? '') : text;
    return `${each.tagName.toLowerCase()} “${label.slice(0, 50)}”`;
  };
  const name = nameOf(element);
  if (element.hasAttribute('data-tab-stop')) {
    return { name, faults: [`${name} is visited twice`], isRepeated: true };
  }
  element.setAttribute('data-tab-stop', String(index));
  const faults: string[] = [];

  const isShown = (each: Element): boolean => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  };
  const shown = [element, element.parentElement].find((each) => each !== null && isShown(each));
  if (shown === undefined) faults.push(`${name} does not show the focus`);

  const rect = element.getBoundingClientRect();
  const line = element.getClientRects()[0] ?? rect;
  const [top, bottom] = [Math.max(line.top, 0), Math.min(line.bottom, innerHeight)];
  const [left, right] = [Math.max(line.left, 0), Math.min(line.right, innerWidth)];
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const isReached = hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest('label') !== null);
  if (!isReached) faults.push(`${name} has the focus out of sight, under ${hit === null ? 'the edge' : nameOf(hit)}`);

  const isFloating = (each: Element | null): boolean =>
    each !== null && (['fixed', 'sticky'].includes(getComputedStyle(each).position) || isFloating(each.parentElement));
  const previous = document.querySelector(`[data-tab-stop="${index - 1}"]`);
  if (previous !== null && !isFloating(previous) && !isFloating(element)) {
    const before = previous.getBoundingClientRect();
    const isAbove = rect.bottom <= before.top && rect.left < before.right;
    const isBehind = rect.right <= before.left && rect.top < before.bottom && rect.bottom > before.top;
    if (isAbove || isBehind) faults.push(`${name} comes after ${nameOf(previous)}, which is further on`);
  }
  return { name, faults, isRepeated: false };
}

function missedControls(): string[] {
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"], [role="button"]';
  return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
    if (element.hasAttribute('data-tab-stop') || element.tabIndex < 0 || element.matches(':disabled')) return [];
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('[inert]') !== null) return [];
    // One of a group is a stop; arrows lead to the others.
    if (element instanceof HTMLInputElement && element.type === 'radio') return [];
    return [`${element.tagName.toLowerCase()} “${(element.textContent ?? '').trim().slice(0, 50)}” is never visited`];
  });
}
