import { formatNumber } from '../../numbers.ts';
import { Button } from './button.tsx';

interface Props {
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
}

export function Pagination({ page, pages, onPage }: Props) {
  if (pages <= 1) return null;
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center gap-3 text-sm">
      <Button disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <span className="tabular-nums">{`Page ${formatNumber(page)} of ${formatNumber(pages)}`}</span>
      <Button disabled={page >= pages} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
