import type { Page } from 'playwright-core';

export async function layoutFaults(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    interface Box {
      readonly text: string;
      readonly element: Element;
      readonly left: number;
      readonly right: number;
      readonly top: number;
      readonly bottom: number;
    }

    const root = document.documentElement;
    const faults: string[] = [];
    const wide = root.scrollWidth - root.clientWidth;
    if (wide > 0) faults.push(`The page scrolls sideways by ${wide} px`);

    const floats = new Map<Element, boolean>();
    const isFloating = (element: Element): boolean => {
      const known = floats.get(element);
      if (known !== undefined) return known;
      const { position } = getComputedStyle(element);
      const parent = element.parentElement;
      const found = position === 'fixed' || position === 'sticky' || (parent !== null && isFloating(parent));
      floats.set(element, found);
      return found;
    };

    const boxes: Box[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const text = node.nodeValue?.trim() ?? '';
      if (
        element === null ||
        text === '' ||
        !element.checkVisibility({ visibilityProperty: true }) ||
        isFloating(element)
      )
        continue;
      let clip = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
      for (let each: Element | null = element; each !== null && each !== root; each = each.parentElement) {
        if (getComputedStyle(each).overflow === 'visible') continue;
        const { left, right, top, bottom } = each.getBoundingClientRect();
        clip = {
          left: Math.max(clip.left, left),
          right: Math.min(clip.right, right),
          top: Math.max(clip.top, top),
          bottom: Math.min(clip.bottom, bottom),
        };
      }
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const rect of range.getClientRects()) {
        const left = Math.max(rect.left, clip.left);
        const right = Math.min(rect.right, clip.right);
        const top = Math.max(rect.top, clip.top);
        const bottom = Math.min(rect.bottom, clip.bottom);
        if (right - left > 2 && bottom - top > 2) {
          boxes.push({ text: text.slice(0, 40), element, left, right, top, bottom });
        }
      }
    }

    // Lines of text are taller than their letters.
    const slack = 5;
    boxes.sort((a, b) => a.top - b.top);
    for (const [index, a] of boxes.entries()) {
      for (const b of boxes.slice(index + 1)) {
        if (b.top >= a.bottom - slack) break;
        const isOver = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1;
        if (isOver && a.element !== b.element) faults.push(`“${a.text}” and “${b.text}” cover each other`);
      }
    }
    return [...new Set(faults)];
  });
}
