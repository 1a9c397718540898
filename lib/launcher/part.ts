export async function runPart(start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  const part = await start();
  process.once('SIGTERM', () => {
    part.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}
