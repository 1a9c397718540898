import { CircleSlashIcon, LinkIcon, ToolsIcon } from '@primer/octicons-react';
import { plural } from '../../../numbers.ts';
import { Icon } from '../../ui/octicon.tsx';

export function Fixable() {
  return (
    <span className="inline-flex items-center gap-1 text-xs text-ok">
      <Icon of={ToolsIcon} />
      Fixable
    </span>
  );
}

export function InPaths({ count }: { readonly count: number }) {
  return (
    <span className="inline-flex items-center gap-1 text-xs text-critical">
      <Icon of={LinkIcon} />
      {plural(count, { one: 'In an attack path', other: 'In # attack paths' })}
    </span>
  );
}

export function RuleIsOff() {
  return (
    <span className="inline-flex items-center gap-1 text-xs text-muted">
      <Icon of={CircleSlashIcon} />
      Rule is off
    </span>
  );
}
