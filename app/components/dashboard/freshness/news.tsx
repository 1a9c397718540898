'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useOrg, useUser } from '../context.tsx';
import { rowsOf } from '../request.ts';
import { describeNews, type News, newsSince, type Pulse, partsShowing, pulseOf } from './pulse.ts';

const EVERY_MS = 30_000;
const AFTER_WRITES_MS = 1_000;
const CHANNEL = 'chainbreak';
/** Part of the query keys of counts, which are refetched immediately, since nothing moves when they change. */
const COUNT = 'count';

export function NewsOffer() {
  const { news, show } = useNews();
  const text = describeNews(news);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-16 z-20 flex justify-center px-4">
      {text !== null && (
        <p className="pointer-events-auto flex flex-wrap items-center gap-x-3 rounded-full border border-accent bg-page px-4 py-1.5 text-sm shadow-lg">
          {`${text}: `}
          <button type="button" className="link min-h-6 cursor-pointer font-semibold" onClick={show}>
            show
          </button>
        </p>
      )}
    </div>
  );
}

function useNews(): { readonly news: News; readonly show: () => void } {
  const { id, db, writes } = useUser();
  const { id: orgId } = useOrg();
  const client = useQueryClient();
  const seen = useRef<Pulse>(null);
  const show = useRef(() => {});
  const [news, setNews] = useState<News>({});

  useEffect(() => {
    let isGone = false;
    const channel = new BroadcastChannel(`${CHANNEL}.${orgId}`);
    const invalidate = async (parts: readonly string[], refetchType: 'active' | 'none') =>
      Promise.all(parts.map((part) => client.invalidateQueries({ queryKey: [id, orgId, part], refetchType })));

    let turns = 0;
    let lastOwn = 0;
    let ownUnderWay = 0;
    let afterWrites: ReturnType<typeof setTimeout> | undefined;
    const look = async (isOwn: boolean) => {
      const turn = ++turns;
      if (isOwn) {
        lastOwn = turn;
        ownUnderWay += 1;
      }
      const { data, error, status } = await db.rpc('read_org_pulse', { p_org_id: orgId });
      if (isOwn) ownUnderWay -= 1;
      // Changes made in this tab are never offered: a check of their own follows, or started after this one.
      const isBlurred = writes.areUnderWay() || afterWrites !== undefined || ownUnderWay > 0 || turn < lastOwn;
      if (isGone || (!isOwn && isBlurred)) return;
      if (error !== null) return isOwn ? client.invalidateQueries({ queryKey: [id, orgId] }) : undefined;
      const now = pulseOf(rowsOf({ data, error, status }));
      const moved = newsSince(seen.current ?? now, now);
      if (seen.current === null) seen.current = now;
      if (isOwn) {
        seen.current = now;
        setNews({});
        await invalidate(partsShowing(moved), 'active');
      } else {
        setNews(moved);
        const parts = partsShowing(moved);
        await invalidate(parts, 'none');
        await client.refetchQueries({
          queryKey: [id, orgId],
          type: 'active',
          stale: true,
          predicate: ({ queryKey: [, , part, kind] }) => parts.includes(String(part)) && kind === COUNT,
        });
      }
    };

    void look(false);
    show.current = () => void look(true);
    const lookWhenVisible = () => {
      if (document.visibilityState === 'visible') void look(false);
    };
    const timer = setInterval(lookWhenVisible, EVERY_MS);
    addEventListener('focus', lookWhenVisible);
    document.addEventListener('visibilitychange', lookWhenVisible);
    channel.addEventListener('message', lookWhenVisible);
    const stopNoticing = writes.subscribe(() => {
      clearTimeout(afterWrites);
      afterWrites = setTimeout(() => {
        afterWrites = undefined;
        if (writes.areUnderWay()) return;
        channel.postMessage('wrote');
        void look(true);
      }, AFTER_WRITES_MS);
    });
    return () => {
      isGone = true;
      clearInterval(timer);
      clearTimeout(afterWrites);
      removeEventListener('focus', lookWhenVisible);
      document.removeEventListener('visibilitychange', lookWhenVisible);
      channel.close();
      stopNoticing();
    };
  }, [id, orgId, db, writes, client]);

  return { news, show: () => show.current() };
}
