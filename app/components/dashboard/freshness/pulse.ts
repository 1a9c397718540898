import { plural } from '../../../numbers.ts';

export const TOPICS = ['scans', 'triage', 'rules', 'campaigns', 'repositories'] as const;
export type Topic = (typeof TOPICS)[number];

export type Pulse = Readonly<Partial<Record<Topic, { readonly total: number; readonly newestAt: string | null }>>>;

/** Number of new rows by topic; zero means that existing rows changed. */
export type News = Readonly<Partial<Record<Topic, number>>>;

export function pulseOf(
  rows: readonly { readonly topic: string; readonly newest_at: string | null; readonly total: number }[],
): Pulse {
  return Object.fromEntries(
    TOPICS.flatMap((topic) => {
      const row = rows.find((each) => each.topic === topic);
      return row === undefined ? [] : [[topic, { total: row.total, newestAt: row.newest_at }]];
    }),
  );
}

export function newsSince(before: Pulse, now: Pulse): News {
  return Object.fromEntries(
    TOPICS.flatMap((topic) => {
      const [old, fresh] = [before[topic], now[topic]];
      if (old === undefined || fresh === undefined) return [];
      if (old.total === fresh.total && old.newestAt === fresh.newestAt) return [];
      return [[topic, Math.max(0, fresh.total - old.total)]];
    }),
  );
}

const SHOWN_BY: Readonly<Record<Topic, readonly string[]>> = {
  scans: ['findings', 'finding', 'paths', 'repositories', 'scans', 'trend', 'since', 'campaigns', 'rules', 'actions'],
  triage: ['findings', 'finding', 'paths', 'activity', 'since', 'rules'],
  rules: ['paths', 'rules', 'activity'],
  campaigns: ['campaigns', 'fixes'],
  repositories: ['repositories', 'paths', 'findings'],
};

export function partsShowing(news: News): readonly string[] {
  return [...new Set(TOPICS.flatMap((topic) => (news[topic] === undefined ? [] : SHOWN_BY[topic])))];
}

export function describeNews(news: News): string | null {
  const said = [
    news.scans !== undefined &&
      (news.scans > 0 ? plural(news.scans, { one: '1 new scan', other: '# new scans' }) : 'Scans changed'),
    news.triage !== undefined && plural(Math.max(1, news.triage), { one: '1 new decision', other: '# new decisions' }),
    news.rules !== undefined && 'rule settings changed',
    news.campaigns !== undefined && 'campaigns changed',
    news.repositories !== undefined && news.scans === undefined && 'repositories changed',
  ].filter((part) => part !== false);
  if (said.length === 0) return null;
  const text = said.join(', ');
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
