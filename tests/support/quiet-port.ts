import { randomInt } from 'node:crypto';
import { requirePort } from '#lib/launcher/ports.ts';

/** Returns a free port below the ephemeral range, so that no other test gets it before it is used. */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const free = await requirePort(port, '127.0.0.1').then(
      () => true,
      () => false,
    );
    if (free) return port;
  }
}
