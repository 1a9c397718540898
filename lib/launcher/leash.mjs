/**
 * Loaded into each child of the launcher before its own code. The channel to the launcher closes when that ends, even
 * killed, and then the child ends too: nothing stays behind on a port.
 */
const GRACE_MS = 5000;
const MARK = 'LEASH';

// Processes that the child starts load this as well, and need their channel to it for something else.
if (process.env[MARK]) {
  delete process.env[MARK];
  process.once('disconnect', () => {
    setTimeout(() => process.exit(1), GRACE_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // Listening keeps a process running, even one that is done.
  process.channel?.unref();
}
