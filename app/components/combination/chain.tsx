import { ArrowDownIcon, ArrowLeftIcon, ArrowUpIcon, StopIcon, UnlinkIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import type { CombinationPage, ShownStage } from '#lib/services/pages/combination-page.ts';
import { FACT_LABELS } from '../../messages.ts';
import { RuleLinks } from '../domain/rule-link.tsx';
import { RuleText } from '../domain/rule-text.tsx';
import { Section } from '../ui/frame.tsx';
import { Icon } from '../ui/octicon.tsx';

const COLUMNS = 'sm:grid sm:grid-cols-[minmax(0,1fr)_1.5rem_17rem] sm:items-center sm:gap-x-3';

type Drawn = Pick<CombinationPage, 'stages' | 'impact' | 'breakChain'>;

export function Chain(drawn: Drawn) {
  return (
    <Section id="chain" title="Step by step">
      <ChainDrawing {...drawn} />
    </Section>
  );
}

export function ChainDrawing({ stages, impact, breakChain }: Drawn) {
  return (
    <ol>
      {stages.map((stage, index) => (
        <li key={stage.title}>
          <div className={clsx(stage.breaks && COLUMNS, !stage.breaks && 'sm:pe-[20rem]')}>
            <Stage stage={stage} number={index + 1} />
            {stage.breaks && <Cut text={breakChain} />}
          </div>
          <Down />
        </li>
      ))}
      <li className="sm:pe-[20rem]">
        <div className="flex gap-3 rounded-panel border-2 border-critical bg-critical-soft p-4 text-sm">
          <span className="mt-[3px] text-critical">
            <Icon of={StopIcon} />
          </span>
          <div className="min-w-0">
            <h3 className="font-semibold text-critical">Impact</h3>
            <p className="mt-1">
              <RuleText text={impact} />
            </p>
          </div>
        </div>
      </li>
    </ol>
  );
}

function Stage({
  stage: { title, description, rules, facts, breaks },
  number,
}: {
  readonly stage: ShownStage;
  readonly number: number;
}) {
  return (
    <div
      className={clsx(
        'flex min-w-0 gap-3 rounded-panel border-2 bg-page p-4 text-sm',
        breaks ? 'border-dashed border-ok' : 'border-control',
      )}
    >
      <span
        aria-hidden="true"
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-full bg-inset text-xs font-semibold tabular-nums"
      >
        {number}
      </span>
      <div className="min-w-0">
        <h3 className="font-semibold">{title}</h3>
        <p className="mt-1">
          <RuleText text={description} />
        </p>
        <p className="mt-2 text-xs text-muted">
          {rules.length + facts.length === 0 && 'Done by the attacker; no rule covers this stage.'}
          {rules.length > 0 && (
            <>
              Found by <RuleLinks ids={rules} />
            </>
          )}
          {rules.length > 0 && facts.length > 0 && '; '}
          {facts.map((fact) => FACT_LABELS[fact]).join('; ')}
        </p>
      </div>
    </div>
  );
}

function Cut({ text }: { readonly text: string }) {
  return (
    <>
      <p aria-hidden="true" className="flex justify-center py-1 text-ok sm:py-0">
        <Icon of={ArrowUpIcon} className="sm:hidden" />
        <Icon of={ArrowLeftIcon} className="max-sm:hidden" />
      </p>
      <div className="min-w-0 rounded-panel border-2 border-dashed border-ok bg-ok-soft p-4 text-sm">
        <p className="flex items-center gap-2 font-semibold text-ok">
          <Icon of={UnlinkIcon} />
          Break the chain here
        </p>
        <p className="mt-1">
          <RuleText text={text} />
        </p>
      </div>
    </>
  );
}

function Down() {
  return (
    <p aria-hidden="true" className="flex justify-center py-1 text-muted sm:pe-[20rem]">
      <Icon of={ArrowDownIcon} />
    </p>
  );
}
