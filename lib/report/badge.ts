import { makeBadge } from 'badge-maker';
import type { Counts } from '#lib/scanner/engine/finding.ts';

export const BADGE_STYLES = ['flat', 'flat-square', 'plastic', 'for-the-badge'] as const;

const MAX_LABEL_LENGTH = 60;

export function drawBadge(
  counts: Counts | 'no workflows' | null,
  options: { readonly label?: string | undefined; readonly style?: string | undefined } = {},
): string {
  const { message, color } = summarize(counts);
  return makeBadge({
    label: labelOf(options.label),
    message,
    color,
    style: BADGE_STYLES.find((style) => style === options.style) ?? 'flat',
  });
}

function summarize(counts: Parameters<typeof drawBadge>[0]): { message: string; color: string } {
  if (counts === null) return { message: 'not scanned', color: 'lightgrey' };
  if (counts === 'no workflows') return { message: counts, color: 'lightgrey' };
  if (counts.HIGH > 0) return { message: `${counts.HIGH} high`, color: 'red' };
  if (counts.MEDIUM > 0) return { message: `${counts.MEDIUM} medium`, color: 'orange' };
  if (counts.LOW > 0) return { message: `${counts.LOW} low`, color: 'yellow' };
  if (counts.INFO > 0) return { message: `${counts.INFO} info`, color: 'blue' };
  return { message: 'no findings', color: 'brightgreen' };
}

function labelOf(text: string | undefined): string {
  const label = Array.from((text ?? '').toWellFormed())
    .filter((character) => !/[\p{Cc}\p{Cn}\p{Co}\u2028\u2029]/u.test(character))
    .slice(0, MAX_LABEL_LENGTH)
    .join('')
    .trim();
  return label === '' ? 'chainbreak' : label;
}
