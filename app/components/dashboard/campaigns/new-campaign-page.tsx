'use client';

import { ArrowLeftIcon } from '@primer/octicons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useEffect, useRef, useState } from 'react';
import type { CampaignRuleset, CampaignView } from '#lib/db/shapes/campaigns.ts';
import type { FixPreview } from '#lib/services/fixes/preview.ts';
import { RULESET_LABELS } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';
import { useLoop } from '../../session/use-loop.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AdminOnly } from '../admin-only.tsx';
import { useOrg, useUser } from '../context.tsx';
import { orgLink } from '../links.ts';
import { NothingFound } from '../nothing-found.tsx';
import { useScanCoverage } from '../overview/use-overview.ts';
import { DashboardHeader } from '../page-header.tsx';
import { Problem } from '../problem.tsx';
import { type Candidate, ChooseRepositories, fixable, useCandidates } from './choose-repositories.tsx';
import { changedIn, Preview } from './preview.tsx';
import { startOnOpening } from './use-remediation.ts';

const AT_ONCE = 4;
const STEPS = ['ruleset', 'repositories', 'preview'] as const;
const STEP_NAMES = { ruleset: 'Ruleset', repositories: 'Repositories', preview: 'Preview' } as const;
const RULESETS = Object.keys(RULESET_LABELS) as CampaignRuleset[];

const WIZARD = {
  repo: parseAsString,
  step: parseAsStringLiteral(STEPS).withDefault('ruleset').withOptions({ history: 'push' }),
  ruleset: parseAsStringLiteral(RULESETS).withDefault('owasp'),
};

export function NewCampaignPage() {
  const org = useOrg();
  const { data: coverage, isPending } = useScanCoverage();
  return (
    <>
      <p className="mb-4 text-sm">
        <Link href={orgLink(org.id, 'campaigns')} prefetch={false} className="link inline-flex items-center gap-1.5">
          <Icon of={ArrowLeftIcon} />
          Campaigns
        </Link>
      </p>
      <DashboardHeader title="New campaign">
        <p>Opens one pull request for each file that has a safe fix. Nothing is written before you confirm.</p>
      </DashboardHeader>
      <AdminOnly what="create a campaign">
        {isPending ? (
          <Skeleton lines={9} />
        ) : coverage?.repositories === 0 ? (
          <NothingFound title="Nothing to fix" />
        ) : (
          <Wizard />
        )}
      </AdminOnly>
    </>
  );
}

function Wizard() {
  const [{ repo, step: asked, ruleset }, setWizard] = useQueryStates(WIZARD);
  const setStep = (next: (typeof STEPS)[number]) => void setWizard({ step: next });
  const [picked, setPicked] = useState<ReadonlySet<string> | null>(null);
  const { data: candidates } = useCandidates();
  const all = fixable(candidates ?? []);
  const chosen = picked ?? new Set(repo === null ? [] : [repo]);
  const repositories = all.filter(({ id }) => chosen.has(id));
  // After a reload nothing is selected; an address may name a repository that is archived.
  const isNone = chosen.size === 0 || (candidates !== undefined && repositories.length === 0);
  const step = asked === 'preview' && isNone ? 'repositories' : asked;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus();
    shown.current = step;
  }, [step]);
  return (
    <>
      <h2 ref={heading} tabIndex={-1} className="mb-4 text-lg font-semibold outline-none">
        {`Step ${STEPS.indexOf(step) + 1} of ${STEPS.length}: ${STEP_NAMES[step]}`}
      </h2>
      {step === 'ruleset' && (
        <>
          <ChooseRuleset
            ruleset={ruleset}
            onChoose={(next) => void setWizard({ ruleset: next }, { history: 'replace' })}
          />
          <Button variant="primary" className="mt-6" onClick={() => setStep('repositories')}>
            Choose repositories
          </Button>
        </>
      )}
      {step === 'repositories' && (
        <>
          <ChooseRepositories chosen={new Set(repositories.map(({ id }) => id))} onChoose={setPicked} />
          <div className="sticky bottom-0 mt-6 flex flex-wrap gap-2 border-t border-line bg-page py-3">
            <Button onClick={() => setStep('ruleset')}>Back</Button>
            <Button variant="primary" disabled={repositories.length === 0} onClick={() => setStep('preview')}>
              {repositories.length === 0
                ? 'Preview the fixes'
                : plural(repositories.length, {
                    one: 'Preview the fixes in 1 repository',
                    other: 'Preview the fixes in # repositories',
                  })}
            </Button>
          </div>
        </>
      )}
      {step === 'preview' && (
        <Confirm ruleset={ruleset} repositories={repositories} onBack={() => setStep('repositories')} />
      )}
    </>
  );
}

interface RulesetProps {
  readonly ruleset: CampaignRuleset;
  readonly onChoose: (ruleset: CampaignRuleset) => void;
}

function ChooseRuleset({ ruleset, onChoose }: RulesetProps) {
  return (
    <fieldset>
      <legend className="mb-2 text-sm text-muted">Choose the rules whose findings are fixed.</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {Object.entries(RULESET_LABELS).map(([id, { label, meaning }]) => (
          <label
            key={id}
            className="flex cursor-pointer gap-3 rounded-panel border border-line px-4 py-3 text-sm hover:bg-subtle has-checked:border-accent"
          >
            <input
              type="radio"
              name="ruleset"
              value={id}
              checked={id === ruleset}
              onChange={() => onChoose(id as CampaignRuleset)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span>
              {label}
              <span className="block text-muted">{meaning}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface ConfirmProps {
  readonly ruleset: CampaignRuleset;
  readonly repositories: readonly Candidate[];
  readonly onBack: () => void;
}

function Confirm({ ruleset, repositories, onBack }: ConfirmProps) {
  const { id, call, request } = useUser();
  const org = useOrg();
  const router = useRouter();
  const client = useQueryClient();
  const loop = useLoop((repoId) => call<FixPreview>(`/api/repositories/${repoId}/fix-preview`, { ruleset }), {
    atOnce: AT_ONCE,
    lasting: null,
  });
  const { rows, run, start } = loop;
  const busy = run !== null && run.state !== 'ended';
  const changed = changedIn(rows);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => request<CampaignView>(`/api/campaigns?org=${org.id}`, { ruleset, repo_ids: changed }),
    onSuccess: ({ campaign }) => {
      void client.invalidateQueries({ queryKey: [id, org.id, 'campaigns'] });
      startOnOpening(campaign.id);
      router.push(orgLink(org.id, `campaigns/${campaign.id}`));
    },
  });
  const hasBegun = useRef(false);
  useEffect(() => {
    if (hasBegun.current || repositories.length === 0) return;
    hasBegun.current = true;
    start(repositories.map((repository) => repository.id));
  });
  if (repositories.length === 0) return <Skeleton lines={6} />;
  return (
    <>
      <p className="mb-4 text-sm">
        Ruleset <span className="font-semibold">{RULESET_LABELS[ruleset].label}</span>{' '}
        {plural(repositories.length, { one: 'in 1 repository', other: 'in # repositories' })}
        <span className="text-muted">. Back leads to other repositories and rules.</span>
      </p>
      <Preview repositories={repositories} loop={loop} />
      {error !== null && <Problem error={error} what="The campaign could not be created" />}
      <div className="mt-6 flex flex-wrap items-center gap-2">
        <Button onClick={onBack} disabled={isPending}>
          Back
        </Button>
        <Button variant="primary" disabled={busy || isPending || changed.length === 0} onClick={() => mutate()}>
          {changed.length === 0
            ? 'Open pull requests'
            : plural(changed.length, {
                one: 'Open pull requests in 1 repository',
                other: 'Open pull requests in # repositories',
              })}
        </Button>
        {run?.state === 'ended' && changed.length < repositories.length && (
          <p className="text-sm text-muted">
            {changed.length === 0
              ? 'There is no safe fix to propose. Go back, and choose other repositories or another ruleset.'
              : 'Repositories in which nothing would change are left out.'}
          </p>
        )}
      </div>
    </>
  );
}
