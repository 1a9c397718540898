import type { RulePage } from '#lib/services/pages/rule-page.ts';
import { Section } from '../ui/frame.tsx';

export function Scores({ meta: { needs = [] } }: Pick<RulePage, 'meta'>) {
  if (!needs.includes('scores')) return null;
  return (
    <Section id="scores" title="Scores of actions">
      <p className="max-w-[70ch]">
        Every scored action has a page with what lowers its score, its history and the commit to pin:{' '}
        <a href="/actions" className="link">
          look up an action
        </a>
        .{' '}
        <a href="/actions/methodology" className="link">
          How scores are made
        </a>{' '}
        lists every signal with its points.
      </p>
    </Section>
  );
}
