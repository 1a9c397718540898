'use client';

import { StopIcon } from '@primer/octicons-react';
import { clsx } from 'clsx';
import Link from 'next/link';
import { Fragment } from 'react';
import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';
import { visible } from '#lib/report/visible.ts';
import { plural } from '../../../numbers.ts';
import { RuleText } from '../../domain/rule-text.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import { useWide } from '../../ui/use-wide.ts';
import { type GraphNode, graphOf } from './graph-model.ts';
import { Scissors } from './scissors.tsx';

interface Props {
  readonly path: AttackPath;
  readonly findings: string;
}

export function PathGraph({ path, findings }: Props) {
  if (!useWide()) return null;
  return (
    <section aria-labelledby="picture" className="mb-8">
      <h2 id="picture" className="mb-3 font-semibold">
        From the outside to the impact
      </h2>
      <ScrollRegion
        as="section"
        label="Picture of the attack path"
        className="overflow-x-auto rounded-panel border border-line bg-page p-3"
      >
        <div className="flex items-start">
          {graphOf(path).map(({ head, below }) => (
            <Fragment key={head.node.id}>
              {head.words !== null && <Across words={head.words} />}
              <div className="min-w-36 max-w-64 flex-1 basis-36">
                <Box node={head.node} findings={findings} />
                {below.map(({ words, node }) => (
                  <Fragment key={node.id}>
                    <Down words={words ?? ''} />
                    <Box node={node} findings={findings} />
                  </Fragment>
                ))}
              </div>
            </Fragment>
          ))}
        </div>
      </ScrollRegion>
    </section>
  );
}

function Across({ words }: { readonly words: string }) {
  return (
    <p className="flex w-16 shrink-0 flex-col items-center pt-5 text-2xs text-muted">
      {words}
      <svg aria-hidden="true" viewBox="0 0 64 10" className="h-2.5 w-14 text-control">
        <path d="M2 5h54" stroke="currentColor" strokeWidth="1.5" />
        <path d="m55 0 8 5-8 5z" fill="currentColor" />
      </svg>
    </p>
  );
}

function Down({ words }: { readonly words: string }) {
  return (
    <p className="grid h-9 grid-cols-[1fr_auto_1fr] gap-2 text-2xs text-muted">
      <span aria-hidden="true" className="col-start-2 w-px bg-control" />
      <span className="self-center">{words}</span>
    </p>
  );
}

function Box({ node, findings }: { readonly node: GraphNode; readonly findings: string }) {
  const breaks = 'breaks' in node && node.breaks;
  const isHead = node.kind === 'stage' || node.kind === 'impact';
  return (
    <div
      className={clsx(
        'rounded-panel p-2.5 text-xs',
        isHead || breaks ? 'border-2' : 'border',
        isHead && 'min-h-20',
        breaks && 'border-dashed border-ok bg-ok-soft',
        !breaks && node.kind === 'impact' && 'border-critical bg-critical-soft',
        !breaks && node.kind !== 'impact' && 'border-control bg-page',
      )}
    >
      {breaks && (
        <p className="mb-1 flex items-center gap-1.5 font-semibold text-ok">
          <Scissors />
          Break the chain here
        </p>
      )}
      <Content node={node} findings={findings} />
    </div>
  );
}

function Content({ node, findings }: { readonly node: GraphNode; readonly findings: string }) {
  switch (node.kind) {
    case 'stage':
      return (
        <a href={`#step-${node.number}`} className="flex gap-2 font-semibold text-fg no-underline hover:underline">
          <span
            aria-hidden="true"
            className="inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-inset text-2xs tabular-nums"
          >
            {node.number}
          </span>
          <span className="sr-only">{`Stage ${node.number}: `}</span>
          <span className="min-w-0">{node.title}</span>
          {node.breaks && <span className="sr-only">. Break the chain here</span>}
        </a>
      );
    case 'finding': {
      const { fingerprint, title, file, line } = node.finding;
      const place =
        file === null ? 'repository setting' : `${file.split('/').at(-1)}${line === null ? '' : `:${line}`}`;
      return (
        <>
          <Link href={`${findings}/${fingerprint}`} prefetch={false} className="link wrap-anywhere">
            {visible(title)}
          </Link>
          <span className="block truncate text-muted">{file === null ? place : <code>{visible(place)}</code>}</span>
        </>
      );
    }
    case 'count':
      return (
        <>
          <p className="font-semibold">{plural(node.count, { one: '1 finding', other: '# findings' })}</p>
          <p className="text-muted">in the list</p>
        </>
      );
    case 'impact':
      return (
        <>
          <p className="flex items-center gap-1.5 font-semibold text-critical">
            <Icon of={StopIcon} />
            Impact
          </p>
          <p className="mt-1">
            <RuleText text={node.text} />
          </p>
        </>
      );
  }
}
