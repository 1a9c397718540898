import type { Menu as Base } from '@base-ui/react/menu';
import { createContext, type ReactNode } from 'react';

export interface MenuProps {
  readonly label?: string | undefined;
  readonly trigger: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end' | undefined;
  readonly className?: string | undefined;
}

export const TRIGGER =
  'inline-flex min-h-9 min-w-0 cursor-pointer items-center gap-1.5 rounded-control border border-transparent px-2 text-sm text-fg hover:bg-subtle data-popup-open:bg-subtle';

export const MenuParts = createContext<Pick<typeof Base, 'Item' | 'Group' | 'GroupLabel' | 'Separator'> | null>(null);
