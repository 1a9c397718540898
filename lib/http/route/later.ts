import { after } from 'next/server';
import type { Later } from '#lib/services/scans/scan-push.ts';

/** The platform keeps the process until the task has ended. Where a handler is called without the framework it just begins. */
export const later: Later = (task) => {
  try {
    after(task);
  } catch {
    void task();
  }
};
