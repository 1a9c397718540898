import { ArrowLeftIcon, ArrowRightIcon } from '@primer/octicons-react';
import type { RulePage } from '../../../lib/services/rule-page.ts';
import { Icon } from '../ui/octicon.tsx';

/** The rules before and after this one, by their ids. */
export function Neighbours({ previous, next }: Pick<RulePage, 'previous' | 'next'>) {
  return (
    <nav aria-label="Other rules" className="mt-12 grid gap-4 border-t border-line pt-6 text-sm sm:grid-cols-3">
      <div>
        {previous !== undefined && (
          <a href={`/rules/${previous.id}`} rel="prev" className="link inline-flex items-start gap-2 py-1">
            <Icon of={ArrowLeftIcon} className="mt-[3px] shrink-0" />
            <span>
              <span className="sr-only">Previous: </span>
              {previous.title}
            </span>
          </a>
        )}
      </div>
      <p className="sm:text-center">
        <a href="/rules" className="link inline-block py-1">
          All rules
        </a>
      </p>
      <div className="sm:text-end">
        {next !== undefined && (
          <a href={`/rules/${next.id}`} rel="next" className="link inline-flex items-start gap-2 py-1">
            <span>
              <span className="sr-only">Next: </span>
              {next.title}
            </span>
            <Icon of={ArrowRightIcon} className="mt-[3px] shrink-0" />
          </a>
        )}
      </div>
    </nav>
  );
}
