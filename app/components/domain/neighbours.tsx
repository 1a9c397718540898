import { ArrowLeftIcon, ArrowRightIcon } from '@primer/octicons-react';
import type { Neighbour } from '#lib/services/pages/shown-example.ts';
import { Icon } from '../ui/octicon.tsx';

interface Props {
  readonly folder: string;
  readonly list: string;
  readonly label: string;
  readonly previous: Neighbour | undefined;
  readonly next: Neighbour | undefined;
}

export function Neighbours({ folder, list, label, previous, next }: Props) {
  return (
    <nav aria-label={label} className="mt-12 grid gap-4 border-t border-line pt-6 text-sm sm:grid-cols-3">
      <div>
        {previous !== undefined && (
          <a href={`${folder}/${previous.id}`} rel="prev" className="link inline-flex items-start gap-2 py-1">
            <Icon of={ArrowLeftIcon} className="mt-[3px] shrink-0" />
            <span>
              <span className="sr-only">Previous: </span>
              {previous.title}
            </span>
          </a>
        )}
      </div>
      <p className="sm:text-center">
        <a href={folder} className="link inline-block py-1">
          {list}
        </a>
      </p>
      <div className="sm:text-end">
        {next !== undefined && (
          <a href={`${folder}/${next.id}`} rel="next" className="link inline-flex items-start gap-2 py-1">
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
