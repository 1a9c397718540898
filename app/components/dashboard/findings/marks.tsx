import { CircleSlashIcon, ToolsIcon } from '@primer/octicons-react';
import { Icon } from '../../ui/octicon.tsx';

export function Fixable() {
  return (
    <span className="inline-flex items-center gap-1 text-xs text-ok">
      <Icon of={ToolsIcon} />
      Fixable
    </span>
  );
}

/** Its findings stay until the next scan. */
export function RuleIsOff() {
  return (
    <span className="inline-flex items-center gap-1 text-xs text-muted">
      <Icon of={CircleSlashIcon} />
      Rule is off
    </span>
  );
}
