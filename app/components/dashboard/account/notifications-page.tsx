'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { visible } from '#lib/report/visible.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ExternalLink } from '../../ui/external-link.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useUser } from '../context.tsx';
import { Problem } from '../problem.tsx';
import { rowsOf } from '../request.ts';
import { useWrite } from '../use-write.ts';
import { PersonPage } from './person-page.tsx';

interface Settings {
  readonly slack_webhook_url: string;
  readonly enabled: boolean;
  readonly failure: string | null;
}

const WEBHOOKS = 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks';

export function NotificationsPage() {
  const { id, db } = useUser();
  const { data, error, refetch } = useQuery({
    queryKey: [id, 'notifications'],
    queryFn: async (): Promise<Settings | null> =>
      rowsOf(
        await db.from('notification_settings').select('slack_webhook_url, enabled, failure').eq('user_id', id).limit(1),
      )[0] ?? null,
  });
  return (
    <PersonPage title="Notifications">
      <div className="space-y-6 text-sm">
        <p className="max-w-[70ch] text-muted">
          When a push brings a new high finding, Chainbreak sends one message to Slack. It goes to the person who turned
          on “On push” for the repository. Nobody else in your organizations sees the address.
        </p>
        {error !== null && (
          <Problem error={error} what="Your notifications could not be read" onRetry={() => void refetch()} />
        )}
        {data === undefined && error === null && <Skeleton lines={4} />}
        {data === null && <AddressForm />}
        {data != null && <Stored key={data.slack_webhook_url} settings={data} />}
      </div>
    </PersonPage>
  );
}

function Stored({ settings }: { readonly settings: Settings }) {
  const { id, request } = useUser();
  const [shown, setShown] = useState(false);
  const [asking, setAsking] = useState<'change' | 'delete' | null>(null);
  const { slack_webhook_url: address, enabled, failure } = settings;
  const forgets = [[id, 'notifications']];
  const toggle = useWrite({
    send: (on: boolean) => request('/api/notification-settings', { slack_webhook_url: address, enabled: on }, 'PUT'),
    forgets,
  });
  const remove = useWrite({
    send: () => request('/api/notification-settings', undefined, 'DELETE'),
    forgets,
  });
  const test = useWrite({ send: () => request('/api/notification-settings/test', undefined, 'POST'), forgets });
  const on = toggle.isPending ? toggle.variables : enabled;
  return (
    <>
      {failure !== null && (
        <Banner tone="warning" title={`Slack switched this address off: ${visible(failure)}`}>
          <p>
            Nothing is sent until you change it. Create another incoming webhook in Slack and save its address here.
          </p>
        </Banner>
      )}
      <section aria-labelledby="address">
        <h2 id="address" className="mb-2 text-base font-semibold">
          Address
        </h2>
        <div className="flex flex-wrap items-center gap-2">
          <code className="min-w-0 rounded-control bg-inset px-2 py-1.5 break-all">
            {shown ? visible(address) : masked(address)}
          </code>
          <Button aria-pressed={shown} onClick={() => setShown(!shown)}>
            {shown ? 'Hide' : 'Show'}
          </Button>
          <Button onClick={() => setAsking('change')}>Change</Button>
          <Button onClick={() => setAsking('delete')}>Delete</Button>
        </div>
      </section>
      <label className="flex min-h-6 w-fit cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          role="switch"
          aria-checked={on}
          checked={on}
          onChange={({ target }) => toggle.mutate(target.checked)}
          className="size-4 accent-accent"
        />
        Send messages
      </label>
      {toggle.error !== null && <Problem error={toggle.error} what="Nothing was changed" />}
      {remove.error !== null && <Problem error={remove.error} what="The address was not deleted" />}
      <section aria-labelledby="test">
        <h2 id="test" className="mb-1 text-base font-semibold">
          Test
        </h2>
        <p className="mb-3 text-muted">Sends one message now, also while messages are off.</p>
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? 'Sending' : 'Send a test message'}
        </Button>
        <p role="status" className="mt-3 text-ok empty:hidden">
          {test.isSuccess && 'Slack accepted the message. It is in the channel of the webhook.'}
        </p>
        {test.error !== null && <Problem error={test.error} what="The test message was not delivered" />}
      </section>
      <Dialog open={asking === 'change'} title="Change the address" onClose={() => setAsking(null)}>
        <AddressForm onDone={() => setAsking(null)} />
      </Dialog>
      <Dialog open={asking === 'delete'} title="Delete the address?" onClose={() => setAsking(null)}>
        <p className="mb-5 text-sm">No more messages are sent. Slack shows the address again if you need it back.</p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => setAsking(null)}>Cancel</Button>
          <Button
            variant="primary"
            onClick={() => {
              setAsking(null);
              remove.mutate();
            }}
          >
            Delete
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Everything after the host is the secret. */
function masked(address: string): string {
  return URL.canParse(address) ? `${new URL(address).origin}/••••••••` : '••••••••';
}

function AddressForm({ onDone }: { readonly onDone?: () => void }) {
  const { id, request } = useUser();
  const [address, setAddress] = useState('');
  const { mutate, isPending, error } = useWrite({
    send: (wanted: string) =>
      request('/api/notification-settings', { slack_webhook_url: wanted, enabled: true }, 'PUT'),
    forgets: [[id, 'notifications']],
    onDone: () => onDone?.(),
  });
  return (
    <form
      className="space-y-4 text-sm"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate(address.trim());
      }}
    >
      <Field label="Slack incoming webhook">
        <Input
          required
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://hooks.slack.com/services/T…/B…/…"
          value={address}
          onChange={({ target }) => setAddress(target.value)}
        />
      </Field>
      <p className="text-muted">
        Create one for your channel: <ExternalLink href={WEBHOOKS}>incoming webhooks</ExternalLink>. Whoever has the
        address can write to the channel.
      </p>
      {error !== null && <Problem error={error} what="The address was not saved" />}
      <Button type="submit" variant="primary" disabled={isPending || address.trim() === ''}>
        Save
      </Button>
    </form>
  );
}
