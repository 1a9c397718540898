'use client';

import { useMemo, useSyncExternalStore } from 'react';

export interface SavedView {
  readonly name: string;
  readonly search: string;
}

export const MAX_VIEWS = 10;
const CHANGED = 'chainbreak:views';

function keyOf(org: string, path: string): string {
  return `chainbreak.views.${org}.${path}`;
}

export function useViews(org: string, path: string): readonly SavedView[] {
  const stored = useSyncExternalStore(
    subscribe,
    () => localStorage.getItem(keyOf(org, path)),
    () => null,
  );
  return useMemo(() => parseViews(stored), [stored]);
}

export function storeViews(org: string, path: string, views: readonly SavedView[]): void {
  localStorage.setItem(keyOf(org, path), JSON.stringify(views.slice(0, MAX_VIEWS)));
  dispatchEvent(new Event(CHANGED));
}

export function parseViews(stored: string | null): readonly SavedView[] {
  try {
    const views: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(views) ? views.filter(isView).slice(0, MAX_VIEWS) : [];
  } catch {
    return [];
  }
}

function isView(view: unknown): view is SavedView {
  const { name, search } = (view ?? {}) as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && name !== '' && typeof search === 'string';
}

function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}
