import type { ActionPage } from '#lib/services/pages/action-page.ts';
import { Time } from '../domain/time.tsx';
import { Banner } from '../ui/banner.tsx';
import { Page, PageHeader } from '../ui/frame.tsx';
import { Families } from './families.tsx';
import { History } from './history.tsx';
import { Knowledge } from './knowledge.tsx';
import { Origin } from './origin.tsx';
import { Pin } from './pin.tsx';
import { ScoreRequest } from './score-request.tsx';
import { Verdict } from './verdict.tsx';
import { Versions } from './versions.tsx';
import { WaitForScore } from './wait-for-score.tsx';

interface Props {
  readonly action: ActionPage;
  readonly codeHostUrl: string;
  readonly canScore: boolean;
}

export function Details({ action, codeHostUrl, canScore }: Props) {
  const { owner, name, latest, staleSince } = action;
  const repositoryUrl = `${codeHostUrl}/${owner}/${name}`;
  return (
    <Page>
      <PageHeader
        above={
          <a href="/actions" className="link">
            Actions
          </a>
        }
        title={
          <a
            href={repositoryUrl}
            rel="noopener noreferrer nofollow"
            className="break-words text-fg no-underline hover:underline"
          >
            {owner}/<wbr />
            {name}
          </a>
        }
      >
        <Origin action={action} repositoryUrl={repositoryUrl} />
      </PageHeader>
      {staleSince !== null && (
        <Banner tone="warning" title="This score is not current" className="mb-6">
          Scoring it again has failed since <Time at={staleSince} />. The last score stays until it works.
        </Banner>
      )}
      {latest === null ? (
        <NotScored action={action} canScore={canScore} />
      ) : (
        <>
          <Verdict latest={latest} />
          <Pin latest={latest} />
          <Families families={latest.families} />
          <Knowledge latest={latest} />
          <History history={action.history} moves={action.moves} />
          <Versions versions={action.versions} more={action.moreVersions} repositoryUrl={repositoryUrl} />
        </>
      )}
    </Page>
  );
}

function NotScored({ action: { owner, name, status }, canScore }: Pick<Props, 'action' | 'canScore'>) {
  const pending = status === 'pending';
  return (
    <Banner tone="neutral" title={pending ? 'Waiting to be scored' : 'Not scored yet'}>
      <p className="mb-4">
        {pending
          ? 'This action is in the queue. The next daily run scores it, or you can try now.'
          : 'This action is in the catalog, but nobody has asked for its score yet.'}
      </p>
      {canScore && <ScoreRequest owner={owner} name={name} label={pending ? 'Try now' : 'Score this action'} />}
      {pending && <WaitForScore owner={owner} name={name} />}
    </Banner>
  );
}
