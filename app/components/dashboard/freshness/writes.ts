import type { CallApi } from '../../session/call-api.ts';

export interface Writes {
  readonly areUnderWay: () => boolean;
  readonly subscribe: (onEnd: () => void) => () => void;
}

export function noticeWrites(call: CallApi): { readonly call: CallApi; readonly writes: Writes } {
  const listeners = new Set<() => void>();
  let underWay = 0;
  return {
    writes: {
      areUnderWay: () => underWay > 0,
      subscribe(onEnd) {
        listeners.add(onEnd);
        return () => listeners.delete(onEnd);
      },
    },
    async call<T>(...[path, body, method]: Parameters<CallApi>) {
      if ((method ?? (body === undefined ? 'GET' : 'POST')) === 'GET') return call<T>(path, body, method);
      underWay += 1;
      try {
        return await call<T>(path, body, method);
      } finally {
        underWay -= 1;
        for (const onEnd of listeners) onEnd();
      }
    },
  };
}
