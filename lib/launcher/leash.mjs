/**
 * Preloaded into each child. When the launcher ends, even killed, the channel closes and the child exits, so that no
 * port stays occupied.
 */
const GRACE_MS = 5000;
const MARK = 'LEASH';

// Grandchildren load this too, but use their channel for something else.
if (process.env[MARK]) {
  delete process.env[MARK];
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel?.unref();
}
