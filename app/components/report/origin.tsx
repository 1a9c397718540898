import { FileCodeIcon, GitBranchIcon, GitCommitIcon } from '@primer/octicons-react';
import type { ReactNode } from 'react';
import { visible } from '#lib/report/visible.ts';
import { plural } from '../../numbers.ts';
import { SITE } from '../../site.ts';
import { Time } from '../domain/time.tsx';
import { Icon } from '../ui/octicon.tsx';

interface Props {
  readonly branch: string;
  readonly commit: string | null;
  readonly repositoryUrl: string;
  readonly files: number;
  readonly engineVersion: string | null;
  readonly scannedAt: string;
}

export function Origin({ branch, commit, repositoryUrl, files, engineVersion, scannedAt }: Props) {
  return (
    <div className="text-sm">
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {branch !== '' && (
          <Item icon={GitBranchIcon} name="Default branch">
            <span className="font-mono text-xs break-all">{visible(branch)}</span>
          </Item>
        )}
        {commit !== null && (
          <Item icon={GitCommitIcon} name="Commit">
            <a
              href={`${repositoryUrl}/commit/${commit}`}
              rel="noopener noreferrer nofollow"
              className="link font-mono text-xs"
            >
              {commit.slice(0, 7)}
            </a>
          </Item>
        )}
        <Item icon={FileCodeIcon} name="Scope">
          {plural(files, { one: '1 workflow file', other: '# workflow files' })}
        </Item>
      </ul>
      <p className="mt-1">
        {engineVersion === null ? 'Scanned on ' : `Scanned by ${SITE.name} ${engineVersion} on `}
        <Time at={scannedAt} relative />
      </p>
      <p className="mt-1">
        Suppressions in the repository (comments and <code>.github/chainbreak.yml</code>) are not applied.
      </p>
    </div>
  );
}

function Item({
  icon,
  name,
  children,
}: {
  readonly icon: typeof GitBranchIcon;
  readonly name: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="inline-flex items-center gap-1.5">
      <Icon of={icon} />
      <span className="sr-only">{name}: </span>
      {children}
    </li>
  );
}
