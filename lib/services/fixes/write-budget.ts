import * as writes from '#lib/db/queries/code-host-writes.ts';
import type { WriteBudget } from '#lib/hosts/code-host/port.ts';
import type { Services } from '../context.ts';

/**
 * GitHub allows 80 requests that create content a minute and 500 an hour, with a second between them. The gap is longer,
 * since requests travel at different speeds.
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
const LIMITS = { gapMs: 1_100, perMinute: 80, perHour: 500 };

export function createWriteBudget({ adminDb }: Pick<Services, 'adminDb'>): WriteBudget {
  return {
    async reserve(installationId, maxWaitMs) {
      const reserved = await writes.reserve(adminDb(), installationId, LIMITS, maxWaitMs);
      return 'wait_ms' in reserved ? { waitMs: reserved.wait_ms } : { exhaustedSeconds: reserved.exhausted_seconds };
    },
    pause: (installationId, seconds) => writes.pause(adminDb(), installationId, seconds),
  };
}
