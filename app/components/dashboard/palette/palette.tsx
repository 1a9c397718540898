'use client';

import { Autocomplete } from '@base-ui/react/autocomplete';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTheme } from 'next-themes';
import { useDeferredValue, useEffect, useRef } from 'react';
import { visible } from '#lib/report/visible.ts';
import { Input } from '../../ui/field.tsx';
import { useOrg, useUser } from '../context.tsx';
import { orgLink, SECTIONS } from '../links.ts';
import { useOrgs } from '../orgs.ts';
import { askForScanOfAll } from '../repositories/scan-on-opening.ts';
import { rowsOf } from '../request.ts';
import { useCatalog } from '../rules/use-rules.ts';
import { usePush } from '../use-push.ts';
import { SEARCHED } from './go-keys.ts';

interface Item {
  readonly value: string;
  readonly label: string;
  readonly run: () => void;
}

interface Group {
  readonly value: string;
  readonly items: readonly Item[];
}

interface Props {
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

export function Palette({ typed, onType, onClose, onHelp }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const groups = [...useCommands(onHelp), ...useFound(typed)];
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      itemToStringValue={({ label }: Item) => label}
      value={typed}
      onValueChange={onType}
      autoHighlight="always"
      keepHighlight
    >
      <Autocomplete.Input ref={input} aria-label={SEARCHED} placeholder={SEARCHED} render={<Input />} />
      <Autocomplete.Empty className="text-sm text-muted">
        <p className="px-3 py-4 empty:hidden">Nothing has this name.</p>
      </Autocomplete.Empty>
      <Autocomplete.List className="-mx-2 mt-2 max-h-[min(24rem,55dvh)] overflow-y-auto">
        {(group: Group) => (
          <Autocomplete.Group key={group.value} items={group.items} className="mb-2">
            <Autocomplete.GroupLabel className="px-3 py-1 text-xs font-semibold text-muted">
              {group.value}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: Item) => (
                <Autocomplete.Item
                  key={item.value}
                  value={item}
                  onClick={() => {
                    onClose();
                    item.run();
                  }}
                  className="flex min-h-9 cursor-pointer items-center rounded-control px-3 py-1.5 text-sm wrap-anywhere data-highlighted:bg-inset"
                >
                  <span className="min-w-0">{item.label}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function useCommands(onHelp: () => void): readonly Group[] {
  const push = usePush();
  const org = useOrg();
  const { setTheme } = useTheme();
  const { data: orgs = [] } = useOrgs();
  const go = (label: string, address: string): Item => ({
    value: address,
    label,
    run: () => push(address),
  });
  const theme = (label: string, name: string): Item => ({ value: name, label, run: () => setTheme(name) });
  return [
    {
      value: 'Pages',
      items: [
        ...SECTIONS.map(({ path, label }) => go(label, orgLink(org.id, path))),
        go('Account', '/account'),
        go('Notifications', '/account/notifications'),
        go('Invites', '/invites'),
      ],
    },
    {
      value: 'Do',
      items: [
        {
          value: 'scan-all',
          label: 'Scan all repositories',
          run: () => {
            askForScanOfAll(org.id);
            push(orgLink(org.id, 'repositories'));
          },
        },
        go('New campaign', orgLink(org.id, 'campaigns/new')),
        go('Connect repositories', '/setup'),
        theme('Light colours', 'light'),
        theme('Dark colours', 'dark'),
        theme('Colours of the system', 'system'),
        { value: 'help', label: 'Keyboard shortcuts', run: onHelp },
      ],
    },
    {
      value: 'Organizations',
      items: orgs.filter(({ id }) => id !== org.id).map(({ id, name }) => go(visible(name), orgLink(id))),
    },
  ].filter(({ items }) => items.length > 0);
}

const MOST_REPOSITORIES = 20;

function useFound(typed: string): readonly Group[] {
  const { id, db } = useUser();
  const org = useOrg();
  const push = usePush();
  const text = useDeferredValue(typed.trim());
  const { data: repositories = [] } = useQuery({
    queryKey: [id, org.id, 'repositories', 'named', text],
    queryFn: async () =>
      rowsOf(
        await db
          .from('repository_overview')
          .select('id, full_name')
          .eq('org_id', org.id)
          .ilike('full_name', `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`)
          .order('full_name')
          .limit(MOST_REPOSITORIES),
      ),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
  const { data: catalog } = useCatalog();
  if (text === '') return [];
  const groups = [
    {
      value: 'Repositories',
      items: repositories.map(({ id: repoId, full_name: name }) => {
        const address = orgLink(org.id, `repositories/${repoId}`);
        return { value: address, label: visible(name ?? ''), run: () => push(address) };
      }),
    },
    {
      value: 'Findings of a rule',
      items: (catalog ?? []).map(({ id: rule }) => {
        const address = orgLink(org.id, 'findings', { rule });
        return { value: address, label: rule, run: () => push(address) };
      }),
    },
  ];
  return groups.filter(({ items }) => items.length > 0);
}
