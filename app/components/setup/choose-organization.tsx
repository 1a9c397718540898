'use client';

import { useState } from 'react';
import type { Organization } from '#lib/db/shapes/organizations.ts';
import { visible } from '#lib/report/visible.ts';
import type { CallApi } from '../session/call-api.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { reasonOfTeam } from './sentences.ts';

interface Props {
  readonly orgs: readonly Organization[];
  readonly call: CallApi;
  readonly onChoose: (org: Organization) => void;
}

const NEW = 'new';
const MAX_NAME = 100;

export function ChooseOrganization({ orgs, call, onChoose }: Props) {
  const choices = orgs.filter(({ role }) => role === 'admin');
  const [chosen, setChosen] = useState(choices[0]?.id ?? NEW);
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const connect = async () => {
    const existing = choices.find(({ id }) => id === chosen);
    if (existing !== undefined) return onChoose(existing);
    setBusy(true);
    setProblem(null);
    const { ok, refused } = await call<Organization>('/api/orgs', { name: name.trim() });
    setBusy(false);
    if (ok === undefined) setProblem(reasonOfTeam(refused));
    else onChoose(ok);
  };
  return (
    <form
      className="mb-6 rounded-panel border border-line p-4 sm:p-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) void connect();
      }}
    >
      <fieldset disabled={busy}>
        <legend className="mb-1 text-base font-semibold">Which organization gets these repositories?</legend>
        <p className="mb-4 max-w-[70ch] text-sm text-muted">
          Its members see findings, attack paths and decisions. You can connect the same repositories to other
          organizations later.
        </p>
        <div className="space-y-3 text-sm">
          {choices.map((org) => (
            <Choice
              key={org.id}
              label={visible(org.name)}
              meaning={org.personal ? 'Only you see them.' : 'All members of this team see them.'}
              checked={chosen === org.id}
              onChoose={() => setChosen(org.id)}
            />
          ))}
          <Choice
            label="A new team"
            meaning="You become its admin, and invite others when you like."
            checked={chosen === NEW}
            onChoose={() => setChosen(NEW)}
          />
        </div>
        <Field label="Name of the team" className="ms-7 mt-2 max-w-sm">
          <Input
            required={chosen === NEW}
            maxLength={MAX_NAME}
            autoComplete="organization"
            value={name}
            onFocus={() => setChosen(NEW)}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        {problem !== null && (
          <Banner tone="failure" title="The team was not created" role="alert" className="mt-4">
            <p>{problem}</p>
          </Banner>
        )}
        <Button type="submit" variant="primary" className="mt-5" disabled={chosen === NEW && name.trim() === ''}>
          {chosen === NEW ? 'Create the team and connect' : 'Connect'}
        </Button>
      </fieldset>
    </form>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly meaning: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
}

function Choice({ label, meaning, checked, onChoose }: ChoiceProps) {
  return (
    <label className="flex cursor-pointer gap-3">
      <input
        type="radio"
        name="organization"
        checked={checked}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 wrap-anywhere">
        {label}
        <span className="block text-muted">{meaning}</span>
      </span>
    </label>
  );
}
