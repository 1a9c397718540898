import { ArchiveIcon, GitCommitIcon, StarIcon, TagIcon } from '@primer/octicons-react';
import type { ActionPage } from '#lib/services/pages/action-page.ts';
import { plural } from '../../numbers.ts';
import { ForeignText } from '../domain/foreign-text.tsx';
import { Time } from '../domain/time.tsx';
import { Icon } from '../ui/octicon.tsx';

export function Origin({ action, repositoryUrl }: { readonly action: ActionPage; readonly repositoryUrl: string }) {
  const { description, stars, archived, latest } = action;
  return (
    <>
      {description !== null && (
        <p>
          <ForeignText text={description} />
        </p>
      )}
      <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {latest?.ref != null && (
          <Item icon={TagIcon} name="Version">
            <ForeignText text={latest.ref} className="font-mono text-xs break-all" />
          </Item>
        )}
        {latest !== null && (
          <Item icon={GitCommitIcon} name="Commit">
            <a
              href={`${repositoryUrl}/commit/${latest.sha}`}
              rel="noopener noreferrer nofollow"
              className="link font-mono text-xs"
            >
              {latest.sha.slice(0, 7)}
            </a>
          </Item>
        )}
        {stars !== null && (
          <Item icon={StarIcon} name="Popularity">
            {plural(stars, { one: '1 star', other: '# stars' })}
          </Item>
        )}
        {archived && (
          <Item icon={ArchiveIcon} name="State">
            Archived
          </Item>
        )}
      </ul>
      {latest !== null && (
        <p className="mt-1 text-sm">
          Scored on <Time at={latest.scoredAt} relative />
          <span className="block">
            <a href="/actions/methodology" className="link">
              Algorithm {latest.algorithmVersion}
            </a>
            : what a score says and what it does not.
          </span>
        </p>
      )}
    </>
  );
}

function Item({
  icon,
  name,
  children,
}: {
  readonly icon: typeof TagIcon;
  readonly name: string;
  readonly children: React.ReactNode;
}) {
  return (
    <li className="inline-flex min-w-0 items-center gap-1.5">
      <Icon of={icon} />
      <span className="sr-only">{name}: </span>
      {children}
    </li>
  );
}
