'use client';

import { useQuery } from '@tanstack/react-query';
import { visible } from '#lib/report/visible.ts';
import { Time } from '../../domain/time.tsx';
import { installLink } from '../../setup/install-link.ts';
import { sentencesForLink } from '../../setup/sentences.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { AdminControls, AdminOnly } from '../admin-only.tsx';
import { useOrg, useUser } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { useOrgs } from '../orgs.ts';
import { Problem } from '../problem.tsx';
import { refusedBy, rowsOf } from '../request.ts';
import { useWrite } from '../use-write.ts';

interface Installation {
  readonly id: string;
  readonly org_id: string;
  readonly installation_id: number;
  readonly account: string;
  readonly account_type: string;
  readonly created_at: string;
  readonly suspended_at: string | null;
}

const MOST = 1_000;

export function Connections() {
  const { id, db, host } = useUser();
  const org = useOrg();
  const { data: orgs = [] } = useOrgs();
  const orgIds = orgs.map((each) => each.id);
  const { data, error, refetch } = useQuery({
    queryKey: [id, 'installations', orgIds.join(' ')],
    enabled: orgIds.length > 0,
    queryFn: async () =>
      rowsOf(
        await db
          .from('installations')
          .select('id, org_id, installation_id, account, account_type, created_at, suspended_at')
          .in('org_id', orgIds)
          .is('removed_at', null)
          .order('account')
          .order('id')
          .limit(MOST),
      ) as unknown as Installation[],
  });
  const own = data?.filter(({ org_id: each }) => each === org.id) ?? [];
  const linked = new Set(own.map(({ installation_id: number }) => number));
  const others = new Map(
    data?.flatMap((each) => (linked.has(each.installation_id) ? [] : [[each.installation_id, each] as const])),
  );
  return (
    <div className="space-y-10 text-sm">
      <section aria-labelledby="accounts">
        <h2 id="accounts" className="mb-2 text-base font-semibold">
          Connected accounts
        </h2>
        {error !== null && (
          <Problem error={error} what="The connections could not be read" onRetry={() => void refetch()} />
        )}
        {data === undefined && error === null && <Skeleton lines={3} />}
        {data !== undefined && own.length === 0 && (
          <EmptyState title="No account is connected">
            Add one below. Its repositories appear in the list then.
          </EmptyState>
        )}
        {own.length > 0 && (
          <ul aria-label="Connected accounts" className="divide-y divide-line rounded-panel border border-line">
            {own.map((each) => (
              <li key={each.id} className="px-4 py-3">
                <p className="font-semibold wrap-anywhere">
                  {visible(each.account)}{' '}
                  <span className="font-normal text-muted">
                    {each.account_type === 'Organization' ? 'organization' : 'person'}
                  </span>
                </p>
                <p className="text-muted">
                  Connected <Time at={each.created_at} />
                </p>
                {each.suspended_at !== null && (
                  <p className="mt-1 text-medium">
                    {`Suspended at ${host}: nothing is scanned until the account resumes the app there.`}
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
        <p className="mt-3 max-w-[70ch] text-muted">
          {`To end a connection, uninstall the app at ${host}. Findings and decisions stay, and return with it.`}
        </p>
      </section>
      <AddAccount others={[...others.values()]} />
    </div>
  );
}

function AddAccount({ others }: { readonly others: readonly Installation[] }) {
  const { connectUrl, host } = useUser();
  const org = useOrg();
  return (
    <section aria-labelledby="add">
      <h2 id="add" className="mb-2 text-base font-semibold">
        Add an account
      </h2>
      {connectUrl === null ? (
        <p className="text-muted">This server has no app at {host}, so nothing can be connected.</p>
      ) : (
        <AdminOnly what="connect accounts">
          <a href={installLink(connectUrl, org.id)} rel="nofollow" className={buttonClass('secondary')}>
            {`Install the app at ${host}`}
          </a>
        </AdminOnly>
      )}
      {others.length > 0 && (
        <div className="mt-6">
          <h3 className="mb-2 font-semibold">Connected in your other organizations</h3>
          <AdminControls what="connect accounts">
            <ul className="divide-y divide-line rounded-panel border border-line">
              {others.map((each) => (
                <li key={each.installation_id} className="px-4 py-3">
                  <UseHere installation={each} />
                </li>
              ))}
            </ul>
          </AdminControls>
        </div>
      )}
    </section>
  );
}

function UseHere({ installation }: { readonly installation: Installation }) {
  const { id, request, host } = useUser();
  const org = useOrg();
  const { mutate, isPending, error } = useWrite({
    send: async () => {
      const query = new URLSearchParams({ installation_id: String(installation.installation_id), org: org.id });
      await request(`/api/scm/callback?${query.toString()}`);
      await request(`/api/repos?org=${org.id}`);
    },
    forgets: [
      [id, 'installations'],
      [id, org.id],
    ],
  });
  const refused = error === null ? null : sentencesForLink(refusedBy(error), host);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <span className="me-auto min-w-0 font-semibold wrap-anywhere">{visible(installation.account)}</span>
      <Button disabled={isPending} onClick={() => mutate()}>
        {isPending ? 'Connecting' : `Use ${visible(installation.account)} here too`}
      </Button>
      {refused !== null && (
        <Banner tone="warning" title={refused.title} role="alert" className="w-full">
          <p>{refused.next}</p>
        </Banner>
      )}
    </div>
  );
}
