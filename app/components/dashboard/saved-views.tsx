'use client';

import { BookmarkIcon } from '@primer/octicons-react';
import Link from 'next/link';
import { usePathname, useSearchParams } from 'next/navigation';
import { useState } from 'react';
import { plural } from '../../numbers.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';
import { Icon } from '../ui/octicon.tsx';
import { useOrg } from './context.tsx';
import { MAX_VIEWS, storeViews, useViews } from './views.ts';

const MAX_NAME = 60;

export function SavedViews({ path }: { readonly path: string }) {
  const org = useOrg();
  const views = useViews(org.id, path);
  const [open, setOpen] = useState(false);
  const address = usePathname();
  const search = useSearchParams().toString();
  const [name, setName] = useState('');
  const full = views.length >= MAX_VIEWS && !views.some((view) => view.name === name.trim());
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon of={BookmarkIcon} />
        {views.length === 0 ? 'Saved views' : plural(views.length, { one: '1 saved view', other: '# saved views' })}
      </Button>
      <Dialog open={open} title="Saved views" onClose={() => setOpen(false)}>
        {views.length === 0 ? (
          <p className="text-sm text-muted">Save filters under a name to return to them on this device.</p>
        ) : (
          <ul className="divide-y divide-line rounded-panel border border-line text-sm">
            {views.map((view) => (
              <li key={view.name} className="flex items-center gap-3 py-1.5 ps-4 pe-2">
                <Link
                  href={`${address}${view.search === '' ? '' : `?${view.search}`}`}
                  prefetch={false}
                  aria-current={view.search === search ? 'page' : undefined}
                  onClick={() => setOpen(false)}
                  className="link min-w-0 flex-1 wrap-anywhere"
                >
                  {view.name}
                </Link>
                <Button
                  className="min-h-8 px-3"
                  onClick={() =>
                    storeViews(
                      org.id,
                      path,
                      views.filter((each) => each !== view),
                    )
                  }
                >
                  Delete<span className="sr-only"> {view.name}</span>
                </Button>
              </li>
            ))}
          </ul>
        )}
        <form
          className="mt-5 flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            const named = { name: name.trim(), search };
            if (named.name === '' || full) return;
            storeViews(org.id, path, [...views.filter((view) => view.name !== named.name), named]);
            setName('');
          }}
        >
          <Field label="Name of the current view" className="flex-1">
            <Input
              value={name}
              maxLength={MAX_NAME}
              required
              autoComplete="off"
              onChange={({ target }) => setName(target.value)}
            />
          </Field>
          <Button type="submit" variant="primary" disabled={full}>
            Save
          </Button>
        </form>
        {full && <p className="mt-2 text-sm text-muted">{`At most ${MAX_VIEWS} views: delete one first.`}</p>}
      </Dialog>
    </>
  );
}
