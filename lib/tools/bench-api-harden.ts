import { PUBLIC_BUDGETS } from '#lib/http/limits/public-limit.ts';
import { usualWorkflow } from './bench-hardener.ts';

const { together: REQUESTS, perAddress: EACH } = PUBLIC_BUDGETS['public-scan'];

/**
 * Measures hardening a workflow of usual length, one request at a time, with actions already looked up. Acts as
 * the trusted proxy of several visitors, since the rate limit allows no more requests.
 */
export async function measureHarden(web: string): Promise<void> {
  const workflow = usualWorkflow();
  const call = async (index: number): Promise<string> => {
    const response = await fetch(`${web}/api/public/harden`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `203.0.113.${Math.floor(index / EACH) + 1}`,
      },
      body: JSON.stringify({ workflow, include_review: true }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST /api/public/harden: ${response.status} ${text.slice(0, 300)}`);
    return text;
  };
  const pinned = (await call(0)).split('# v4.4.9').length - 1;
  if (pinned === 0) throw new Error('The code host told no versions.');
  const times: number[] = [];
  for (let index = 1; index < REQUESTS; index += 1) {
    const start = performance.now();
    await call(index);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.ceil(times.length * share) - 1] ?? 0).toFixed(0);
  process.stdout.write(
    `\nPOST /api/public/harden, ${workflow.split('\n').length} lines, ${times.length} requests: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms\n`,
  );
}
