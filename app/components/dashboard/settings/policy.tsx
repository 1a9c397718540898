'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PrGate } from '#lib/db/shapes/organizations.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AdminControls } from '../admin-only.tsx';
import { useOrg, useUser } from '../context.tsx';
import { Problem } from '../problem.tsx';
import { rowsOf } from '../request.ts';
import { useWrite } from '../use-write.ts';

const FAIL_ON: readonly { readonly value: PrGate['fail_on']; readonly label: string; readonly what: string }[] = [
  { value: 'never', label: 'Never', what: '' },
  { value: 'critical', label: 'Critical attack paths only', what: 'a critical attack path' },
  { value: 'high', label: 'High and above', what: 'a high finding, or a critical or high attack path' },
  { value: 'medium', label: 'Medium and above', what: 'a finding or attack path of medium severity or worse' },
  { value: 'low', label: 'Low and above', what: 'a finding of low severity or worse, or an attack path' },
  { value: 'info', label: 'Any finding', what: 'any finding or attack path' },
];

export function Policy() {
  const { id, db, host } = useUser();
  const org = useOrg();
  const { data, error, refetch } = useQuery({
    queryKey: [id, org.id, 'policy'],
    queryFn: async () => {
      const [row] = rowsOf(
        await db.from('organizations').select('pr_gate_fail_on, pr_gate_new_only').eq('id', org.id).limit(1),
      );
      return row === undefined
        ? null
        : { fail_on: row.pr_gate_fail_on as PrGate['fail_on'], new_only: row.pr_gate_new_only };
    },
  });
  return (
    <section aria-labelledby="policy" className="text-sm">
      <h2 id="policy" className="mb-1 text-base font-semibold">
        Pull request policy
      </h2>
      <p className="mb-4 max-w-[70ch] text-muted">
        Each pull request of a connected repository gets a check named Chainbreak. The policy says when it fails. Branch
        rules at {host} decide whether a failed check blocks merging.
      </p>
      <ChecksOff />
      {error !== null && <Problem error={error} what="The policy could not be read" onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data != null && (
        <AdminControls what="change the policy">
          <PolicyForm key={`${data.fail_on} ${data.new_only}`} stored={data} />
        </AdminControls>
      )}
    </section>
  );
}

function ChecksOff() {
  const { id, request } = useUser();
  const { data } = useQuery({
    queryKey: [id, 'capabilities'],
    queryFn: () => request<{ readonly pr_checks: boolean }>('/api/capabilities'),
  });
  if (data === undefined || data.pr_checks) return null;
  return (
    <Banner tone="neutral" title="This server cannot set checks at the moment" className="mb-4">
      <p>
        Its app has no permission to write checks, receives no webhooks, or the code host does not answer. The policy is
        kept and applies once checks work. The operator of the server can grant the app “Checks: write”.
      </p>
    </Banner>
  );
}

function PolicyForm({ stored }: { readonly stored: PrGate }) {
  const { id, request } = useUser();
  const org = useOrg();
  const [failOn, setFailOn] = useState(stored.fail_on);
  const [newOnly, setNewOnly] = useState(stored.new_only);
  const { mutate, isPending, error } = useWrite({
    send: (gate: PrGate) => request(`/api/orgs/${org.id}/pr-gate`, gate, 'PUT'),
    forgets: [[id, org.id, 'policy']],
  });
  const changed = failOn !== stored.fail_on || newOnly !== stored.new_only;
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ fail_on: failOn, new_only: newOnly });
      }}
    >
      <Field label="The check fails on" className="max-w-80">
        <Select value={failOn} onChange={({ target }) => setFailOn(target.value as PrGate['fail_on'])}>
          {FAIL_ON.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <label className="flex min-h-6 w-fit cursor-pointer items-center gap-2">
        <input
          type="checkbox"
          checked={newOnly}
          onChange={({ target }) => setNewOnly(target.checked)}
          className="size-4 accent-accent"
        />
        Only what the pull request adds
      </label>
      <p role="status" className="max-w-[70ch] rounded-control bg-subtle px-3 py-2">
        {consequence(failOn, newOnly)}
      </p>
      {error !== null && <Problem error={error} what="The policy was not saved" />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" disabled={isPending || !changed}>
          Save
        </Button>
        {changed && (
          <Button
            onClick={() => {
              setFailOn(stored.fail_on);
              setNewOnly(stored.new_only);
            }}
          >
            Discard
          </Button>
        )}
      </div>
    </form>
  );
}

function consequence(failOn: PrGate['fail_on'], newOnly: boolean): string {
  const what = FAIL_ON.find(({ value }) => value === failOn)?.what ?? '';
  if (what === '') return 'The check never fails. It lists what it found, and is neutral when there is something.';
  return newOnly
    ? `The check fails when a pull request adds ${what}. What was there before does not count.`
    : `The check fails when the branch has ${what}, also if the pull request did not add it.`;
}
