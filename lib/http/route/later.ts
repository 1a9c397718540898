import { after } from 'next/server';
import type { Later } from '#lib/services/scans/scan-push.ts';

/** Keeps the process until the task has ended; outside the framework the task just starts. */
export const later: Later = (task) => {
  try {
    after(task);
  } catch {
    void task();
  }
};
