'use client';

import { ArrowDownIcon, StopIcon, UnlinkIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import Link from 'next/link';
import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';
import { visible } from '#lib/report/visible.ts';
import { RuleText } from '../../domain/rule-text.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';

type Component = AttackPath['components'][number];

export function PathSteps({ path, repoId }: { readonly path: AttackPath; readonly repoId: string }) {
  const unplaced = path.components.filter(({ rule_id }) => path.stages.every((stage) => stage.rule_id !== rule_id));
  return (
    <section aria-labelledby="steps">
      <h2 id="steps" className="mb-3 font-semibold">
        Step by step
      </h2>
      <ol>
        {path.stages.map(({ order, title, description, rule_id: rule }, index) => {
          const breaks = rule === path.break_chain_rule;
          return (
            <li key={order} id={`step-${index + 1}`} className="scroll-mt-20">
              <div
                className={clsx(
                  'flex gap-3 rounded-panel border-2 p-4 text-sm',
                  breaks ? 'border-dashed border-ok' : 'border-control',
                )}
              >
                <span
                  aria-hidden="true"
                  className="inline-flex size-6 shrink-0 items-center justify-center rounded-full bg-inset text-xs font-semibold tabular-nums"
                >
                  {index + 1}
                </span>
                <div className="min-w-0 flex-1">
                  <h3 className="font-semibold">{title}</h3>
                  <p className="mt-1">
                    <RuleText text={description} />
                  </p>
                  {rule === null ? (
                    <p className="mt-2 text-xs text-muted">Done by the attacker; no rule covers this stage.</p>
                  ) : (
                    <Findings components={path.components.filter(({ rule_id }) => rule_id === rule)} repoId={repoId} />
                  )}
                  {breaks && <Cut text={path.break_chain} />}
                </div>
              </div>
              <p aria-hidden="true" className="flex justify-center py-1 text-muted">
                <Icon of={ArrowDownIcon} />
              </p>
            </li>
          );
        })}
        <li className="flex gap-3 rounded-panel border-2 border-critical bg-critical-soft p-4 text-sm">
          <Icon of={StopIcon} className="mt-[3px] shrink-0 text-critical" />
          <div className="min-w-0">
            <h3 className="font-semibold text-critical">Impact</h3>
            <p className="mt-1">
              <RuleText text={path.impact} />
            </p>
          </div>
        </li>
      </ol>
      {path.stages.every(({ rule_id }) => rule_id !== path.break_chain_rule) && <Cut text={path.break_chain} />}
      {unplaced.length > 0 && (
        <div className="mt-4 text-sm">
          <h3 className="font-semibold">Also part of it</h3>
          <Findings components={unplaced} repoId={repoId} />
        </div>
      )}
    </section>
  );
}

function Cut({ text }: { readonly text: string }) {
  return (
    <div className="mt-3 rounded-panel bg-ok-soft p-3 text-sm">
      <p className="flex items-center gap-2 font-semibold text-ok">
        <Icon of={UnlinkIcon} />
        Break the chain here
      </p>
      <p className="mt-1">
        <RuleText text={text} />
      </p>
    </div>
  );
}

function Findings({ components, repoId }: { readonly components: readonly Component[]; readonly repoId: string }) {
  const org = useOrg();
  if (components.length === 0) return null;
  return (
    <ul className="mt-2 space-y-1">
      {components.map(({ rule_id, finding: { fingerprint, title, file, line } }) => (
        <li key={fingerprint} className="min-w-0 wrap-anywhere">
          <Link href={orgLink(org.id, `findings/${repoId}/${fingerprint}`)} prefetch={false} className="link">
            {visible(title)}
          </Link>{' '}
          <code className="wrap-anywhere text-muted">
            {file === null ? 'repository setting' : `${visible(file)}${line === null ? '' : `:${line}`}`}
          </code>
          <span className="sr-only">, rule {rule_id}</span>
        </li>
      ))}
    </ul>
  );
}
