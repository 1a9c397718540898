import type { Metadata } from 'next';
import { type MethodFamily, type MethodSignal, readScoreMethod } from '#lib/services/pages/score-method.ts';
import { BAND_FILL, Band } from '../../../components/domain/band.tsx';
import { Page, PageHeader, Section } from '../../../components/ui/frame.tsx';
import { Cell, HeaderCell, Row, Table } from '../../../components/ui/table.tsx';
import { BAND_LABELS, FAMILY_LABELS, UNKNOWN_REASON_LABELS } from '../../../messages.ts';
import { plural } from '../../../numbers.ts';

const TITLE = 'How actions are scored';
const DESCRIPTION =
  'Every signal of an action’s risk score with its points, the limits of its families, the bands, how missing data is treated, and what a score does not say.';

export const metadata: Metadata = {
  title: TITLE,
  description: DESCRIPTION,
  alternates: { canonical: '/actions/methodology' },
  openGraph: { title: TITLE, description: DESCRIPTION, type: 'article', url: '/actions/methodology' },
};

export default function Methodology() {
  const { version, bands, gate, firmCoverage, families, blocking } = readScoreMethod();
  const signals = families.reduce((sum, family) => sum + family.signals.length, 0);
  return (
    <Page>
      <PageHeader
        title={TITLE}
        above={
          <a href="/actions" className="link">
            Actions
          </a>
        }
      >
        <p>
          Algorithm {version}: {signals} signals in {families.length} families.
        </p>
      </PageHeader>
      <Section id="score" title="What a score is">
        <div className="max-w-[70ch] space-y-3">
          <p>
            A score rates <strong>one commit</strong> of an action, not its project: 100 points less what its signals
            deduct, and never below 0. Signals belong to four families, and each family deducts at most its limit, so
            that many small signs do not outweigh one serious one.
          </p>
          <p>
            A signal can occur several times. The first occurrence costs the most, each further one less, up to a
            maximum. Whether you use the action by tag, branch or commit does not change its score: findings about that
            are the business of rules such as{' '}
            <a href="/rules/unpinned-uses" className="link">
              unpinned-uses
            </a>
            .
          </p>
        </div>
      </Section>
      <Section id="bands" title="Bands">
        <svg
          aria-hidden="true"
          viewBox="0 0 100 8"
          preserveAspectRatio="none"
          className="mb-4 h-8 w-full rounded-control"
        >
          {bands.map(({ band, from, to }) => (
            <rect key={band} x={from} width={to - from + 1} height="8" className={BAND_FILL[band]} />
          ))}
        </svg>
        <Table caption="Bands, their scores and meaning">
          <thead>
            <tr>
              <HeaderCell>Band</HeaderCell>
              <HeaderCell>Score</HeaderCell>
              <HeaderCell>Meaning</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {bands.map(({ band, from, to }) => (
              <Row key={band}>
                <HeaderCell scope="row" className="text-start">
                  <Band band={band} />
                </HeaderCell>
                <Cell className="whitespace-nowrap tabular-nums">
                  {from} to {to}
                </Cell>
                <Cell>
                  {BAND_LABELS[band].label}. {BAND_LABELS[band].meaning}
                </Cell>
              </Row>
            ))}
          </tbody>
        </Table>
        <p className="mt-4 max-w-[70ch]">
          A sensible gate accepts scores from {gate} on, if advisories could be read. Whatever the score, a version is
          blocked by {plural(blocking.length, { one: '1 signal', other: '# signals' })}:{' '}
          {blocking.map(({ id }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <a href={`#${id}`} className="link font-mono text-xs">
                {id}
              </a>
            </span>
          ))}
          .
        </p>
      </Section>
      <Section id="not" title="What a score is not">
        <ul className="max-w-[70ch] list-disc space-y-2 ps-5">
          <li>
            It is no forecast. The day before tj-actions/changed-files was hijacked in March 2025, its release would
            have scored well. What a score gives you is the drop within minutes of a hijack, and the weak spots that
            made it possible.
          </li>
          <li>It is no proof. A high score means that little was found, not that nothing is there.</li>
          <li>It does not judge people. Most low scores come from habits that nobody pointed out.</li>
          <li>It does not know your workflow. What an attacker gains depends on what the job can access.</li>
          <li>
            No code is run. JavaScript and shell are read by their shape, so a determined author can hide from it.
          </li>
        </ul>
      </Section>
      <Section id="missing" title="How missing data is treated">
        <div className="max-w-[70ch] space-y-3">
          <p>
            Each signal is present, absent or unknown. <strong>Unknown costs nothing and earns nothing.</strong> Next to
            the score stands the lowest it could be if everything unknown were present, and the share of points that
            could be checked. Below {firmCoverage}% the score is provisional, and a provisional A or B is shown as a
            question mark. The same holds while advisories are unknown.
          </p>
          <p>
            Without the files and refs of a commit there is no evaluation: the last score stays and says since when it
            is stale. When another source fails, its last answers stay, so that an outage changes no score.
          </p>
        </div>
        <h3 className="mt-5 mb-2 font-semibold">Why a signal is unknown</h3>
        <ul className="max-w-[70ch] list-disc space-y-1 ps-5 text-sm">
          {Object.entries(UNKNOWN_REASON_LABELS).map(([reason, sentence]) => (
            <li key={reason}>{sentence}</li>
          ))}
        </ul>
      </Section>
      <Section id="changes" title="When the algorithm changes">
        <p className="max-w-[70ch]">
          Points and signals belong to a version of the algorithm. Another version adds evaluations and rewrites none;
          the history of an action marks where it changed, because scores on both sides do not compare.
        </p>
      </Section>
      {families.map((family) => (
        <Family key={family.id} family={family} />
      ))}
    </Page>
  );
}

function Family({ family: { id, cap, signals } }: { readonly family: MethodFamily }) {
  const { label, meaning } = FAMILY_LABELS[id];
  return (
    <Section id={id} title={label}>
      <p className="mb-3 max-w-[70ch]">
        {meaning} At most {cap} points.
      </p>
      <Table caption={`${label}: signals and points`}>
        <thead>
          <tr>
            <HeaderCell>Signal</HeaderCell>
            <HeaderCell className="w-28 text-end sm:w-56">Points</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {signals.map((signal) => (
            <Signal key={signal.id} signal={signal} />
          ))}
        </tbody>
      </Table>
    </Section>
  );
}

function Signal({ signal }: { readonly signal: MethodSignal }) {
  const { id, means, blocks, exclusiveWith } = signal;
  return (
    <Row id={id} className="scroll-mt-4 target:bg-inset">
      <HeaderCell scope="row" className="text-start font-normal">
        <code className="text-xs font-semibold break-all">{id}</code>
        <span className="mt-0.5 block">{means}</span>
        {exclusiveWith.length > 0 && (
          <span className="mt-0.5 block text-muted">
            Only the costliest of this and {exclusiveWith.join(', ')} counts.
          </span>
        )}
        {blocks && (
          <span className="mt-0.5 block font-medium text-critical">Blocks the version whatever its score.</span>
        )}
      </HeaderCell>
      <Cell className="text-end tabular-nums">{pointsOf(signal)}</Cell>
    </Row>
  );
}

function pointsOf({ first, next, max }: MethodSignal): string {
  return next === 0 ? String(first) : `${first}, then ${next} each, at most ${max}`;
}
