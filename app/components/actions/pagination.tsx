import { ArrowLeftIcon, ArrowRightIcon } from '@primer/octicons-react';
import { formatNumber } from '../../numbers.ts';
import { Icon } from '../ui/octicon.tsx';

interface Props {
  readonly page: number;
  readonly pages: number;
  readonly pathOf: (page: number) => string;
}

export function Pagination({ page, pages, pathOf }: Props) {
  if (pages <= 1) return null;
  return (
    <nav aria-label="Pages" className="mt-6 grid grid-cols-3 items-center gap-4 text-sm">
      <div>
        {page > 1 && (
          <a href={pathOf(Math.min(page - 1, pages))} rel="prev" className="link inline-flex items-center gap-2 py-1">
            <Icon of={ArrowLeftIcon} />
            Previous
          </a>
        )}
      </div>
      <p className="text-center text-muted tabular-nums">
        Page {formatNumber(page)} of {formatNumber(pages)}
      </p>
      <div className="text-end">
        {page < pages && (
          <a href={pathOf(page + 1)} rel="next" className="link inline-flex items-center gap-2 py-1">
            Next
            <Icon of={ArrowRightIcon} />
          </a>
        )}
      </div>
    </nav>
  );
}
