'use client';

import { type ComponentProps, type ComponentType, useEffect, useState } from 'react';
import type { AttackPath } from '#lib/http/schemas/attack-paths.ts';
import { useWide } from '../../ui/use-wide.ts';
import { graphOf, pictureHeight } from './graph-model.ts';
import type { PathGraph } from './path-graph.tsx';

type Props = ComponentProps<typeof PathGraph>;

/** The picture of a path: on wide screens, once it has been loaded; nothing when that fails. */
export function LazyPathGraph({ path, findings }: Props) {
  const isWide = useWide();
  const [Graph, setGraph] = useState<ComponentType<Props> | null | undefined>();
  useEffect(() => {
    if (!isWide) return;
    let isGone = false;
    import('./path-graph.tsx').then(
      (loaded) => !isGone && setGraph(() => loaded.PathGraph),
      () => !isGone && setGraph(null),
    );
    return () => {
      isGone = true;
    };
  }, [isWide]);
  if (!isWide || Graph === null) return null;
  return (
    <section aria-labelledby="picture" className="mb-8">
      <h2 id="picture" className="mb-3 font-semibold">
        From the outside to the impact
      </h2>
      {Graph === undefined ? <Space path={path} /> : <Graph path={path} findings={findings} />}
    </section>
  );
}

/** As high as the picture, so that nothing moves when it arrives. */
function Space({ path }: { readonly path: AttackPath }) {
  return (
    <div
      aria-hidden="true"
      className="rounded-panel border border-line bg-subtle"
      style={{ height: pictureHeight(graphOf(path)) }}
    />
  );
}
