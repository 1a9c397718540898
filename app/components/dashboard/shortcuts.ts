'use client';

import { useSyncExternalStore } from 'react';

const KEY = 'chainbreak.shortcuts';
const CHANGED = 'chainbreak:shortcuts';

export function useShortcuts(): boolean {
  return useSyncExternalStore(subscribe, read, () => true);
}

export function setShortcuts(on: boolean): void {
  localStorage.setItem(KEY, on ? 'on' : 'off');
  dispatchEvent(new Event(CHANGED));
}

function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}

function read(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}
