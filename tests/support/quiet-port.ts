import { randomInt } from 'node:crypto';
import { requirePort } from '#lib/launcher/ports.ts';

/**
 * A free port of this machine for something that starts later, or again. It lies below those that systems hand out to
 * whoever asks for any, so that no other test gets it meanwhile.
 */
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
