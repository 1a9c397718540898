import type { ShownScore } from '#lib/services/pages/action-page.ts';
import { BAND_LABELS } from '../../messages.ts';
import { Time } from '../domain/time.tsx';
import { Banner } from '../ui/banner.tsx';
import { Panel } from '../ui/panel.tsx';
import { FamilyBars } from './family-bars.tsx';
import { ScoreRing } from './score-ring.tsx';

function adviceOf({ blocks, shownBand }: ShownScore): string {
  if (blocks.length > 0) return 'Use another version, or another action.';
  return shownBand === null ? 'Too little is known for a good band.' : BAND_LABELS[shownBand].meaning;
}

export function Verdict({ latest }: { readonly latest: ShownScore }) {
  const { score, floor, shownBand, previousScore, blocks, families } = latest;
  return (
    <>
      {blocks.length > 0 && (
        <Banner tone="failure" title="Do not run this version" className="mb-6">
          <ul className="space-y-1">
            {blocks.map(({ id, means }) => (
              <li key={id}>{means}</li>
            ))}
          </ul>
        </Banner>
      )}
      <Panel className="grid items-center gap-x-10 gap-y-6 sm:grid-cols-[auto_minmax(0,1fr)]">
        <div className="justify-self-center">
          <ScoreRing score={score} floor={floor} band={shownBand} />
        </div>
        <div className="min-w-0">
          <h2 className="text-lg font-semibold">{shownBand === null ? 'Provisional' : BAND_LABELS[shownBand].label}</h2>
          <p className="mt-1 mb-5 text-sm">
            {adviceOf(latest)}
            {previousScore !== null && (
              <>
                {' '}
                {score < previousScore.score ? 'Down' : 'Up'} from {previousScore.score} on{' '}
                <Time at={previousScore.at} />.
              </>
            )}
          </p>
          <h3 className="mb-2 text-sm font-semibold">Deducted from 100</h3>
          <FamilyBars families={families} />
        </div>
      </Panel>
    </>
  );
}
