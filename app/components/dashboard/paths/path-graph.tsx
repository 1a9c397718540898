'use client';

import '@xyflow/react/dist/base.css';
import './path-graph.css';
import { StopIcon } from '@primer/octicons-react';
import {
  Controls,
  type Edge,
  type FitViewOptions,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react';
import { clsx } from 'clsx';
import Link from 'next/link';
import { type FocusEvent, useMemo, useRef } from 'react';
import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';
import { visible } from '#lib/report/visible.ts';
import { plural } from '../../../numbers.ts';
import { RuleText } from '../../domain/rule-text.tsx';
import { Icon } from '../../ui/octicon.tsx';
import { NODE_WIDTH, placeNodes } from './graph-layout.ts';
import { type GraphNode, graphOf, pictureHeight } from './graph-model.ts';
import { Scissors } from './scissors.tsx';

type FlowNode = Node<{ readonly node: GraphNode; readonly findings: string }, 'node'>;

interface Props {
  readonly path: AttackPath;
  /** Address below which the findings of the repository are. */
  readonly findings: string;
}

const NODE_TYPES = { node: GraphBox };
const FIT: FitViewOptions = { padding: '4px', minZoom: 0.7, maxZoom: 1 };
/** The whole of a long picture, on request. */
const FIT_ALL: FitViewOptions = { ...FIT, minZoom: 0.3 };
const CONTROLS = {
  'controls.ariaLabel': 'Size of the picture',
  'controls.zoomIn.ariaLabel': 'Larger',
  'controls.zoomOut.ariaLabel': 'Smaller',
  'controls.fitView.ariaLabel': 'Show all',
};

/** A picture of the path. Its text alternative is the ordered list on the same page. */
export function PathGraph({ path, findings }: Props) {
  const flow = useRef<ReactFlowInstance<FlowNode>>(null);
  const { nodes, edges, height } = useMemo(() => drawn(path, findings), [path, findings]);
  // Only the keyboard reaches what is out of view.
  const reveal = ({ target }: FocusEvent) => {
    const id = target.closest('[data-id]')?.getAttribute('data-id');
    if (id == null || !target.matches(':focus-visible')) return;
    void flow.current?.fitView({ ...FIT_ALL, maxZoom: Math.min(1, flow.current.getZoom()) });
  };
  return (
    <div
      onFocus={reveal}
      style={{ height }}
      className="path-graph overflow-hidden rounded-panel border border-line bg-page"
    >
      <ReactFlow<FlowNode>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onInit={(instance) => {
          flow.current = instance;
        }}
        fitView
        fitViewOptions={FIT}
        minZoom={0.3}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={null}
        zoomActivationKeyCode={null}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        ariaLabelConfig={CONTROLS}
        aria-label="Picture of the attack path"
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} orientation="horizontal" fitViewOptions={FIT_ALL} />
      </ReactFlow>
    </div>
  );
}

function drawn(path: AttackPath, findings: string) {
  const model = graphOf(path);
  const inLine = new Set(model.columns.map(([head]) => head.id));
  return {
    height: pictureHeight(model),
    nodes: placeNodes(model).map(
      ({ node, x, y, height: nodeHeight }): FlowNode => ({
        id: node.id,
        type: 'node',
        position: { x, y },
        width: NODE_WIDTH,
        height: nodeHeight,
        data: { node, findings },
        domAttributes: { 'aria-roledescription': undefined } as NonNullable<FlowNode['domAttributes']>,
      }),
    ),
    edges: model.edges.map(({ from, to, words }): Edge => {
      const across = inLine.has(from) && inLine.has(to);
      return {
        id: `${from} ${to}`,
        source: from,
        target: to,
        sourceHandle: across ? 'right' : 'bottom',
        targetHandle: across ? 'left' : 'top',
        type: 'straight',
        label: words,
        ariaLabel: words,
        ...(across && { markerEnd: { type: MarkerType.ArrowClosed, width: 18, height: 18, color: 'currentColor' } }),
      };
    }),
  };
}

const HANDLES = [
  ['left', 'target', Position.Left],
  ['top', 'target', Position.Top],
  ['right', 'source', Position.Right],
  ['bottom', 'source', Position.Bottom],
] as const;

function GraphBox({ data: { node, findings } }: NodeProps<FlowNode>) {
  const breaks = 'breaks' in node && node.breaks;
  return (
    <>
      {HANDLES.map(([id, type, position]) => (
        <Handle
          key={id}
          id={id}
          type={type}
          position={position}
          isConnectable={false}
          aria-hidden="true"
          style={node.kind === 'impact' || node.kind === 'stage' ? HEAD_HANDLE[id] : undefined}
        />
      ))}
      <div
        className={clsx(
          'pointer-events-auto flex size-full flex-col rounded-panel p-2.5 text-xs leading-5',
          node.kind === 'stage' || node.kind === 'impact' ? 'border-2' : 'border',
          breaks && 'border-2 border-dashed border-ok bg-ok-soft',
          !breaks && node.kind === 'impact' && 'border-critical bg-critical-soft',
          !breaks && node.kind !== 'impact' && 'border-control bg-page',
        )}
      >
        {breaks && (
          <p className="flex items-center gap-1.5 font-semibold text-ok">
            <Scissors />
            Break the chain here
          </p>
        )}
        <Content node={node} findings={findings} />
      </div>
    </>
  );
}

/** The heads of columns differ in height; their arrows stay level. */
const LEVEL = { top: 43 };
const HEAD_HANDLE: Readonly<Record<string, typeof LEVEL | undefined>> = { left: LEVEL, right: LEVEL };

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
          <span className="line-clamp-3 min-w-0">{node.title}</span>
          {node.breaks && <span className="sr-only">. Break the chain here</span>}
        </a>
      );
    case 'finding': {
      const { fingerprint, title, file, line } = node.finding;
      const place =
        file === null ? 'repository setting' : `${file.split('/').at(-1)}${line === null ? '' : `:${line}`}`;
      return (
        <>
          <Link href={`${findings}/${fingerprint}`} prefetch={false} className="link line-clamp-2">
            {visible(title)}
          </Link>
          <span className="truncate text-muted">{file === null ? place : <code>{visible(place)}</code>}</span>
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
          <p className="line-clamp-5">
            <RuleText text={node.text} />
          </p>
        </>
      );
  }
}
