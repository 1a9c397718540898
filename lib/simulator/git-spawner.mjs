import { spawn } from 'node:child_process';

/**
 * @typedef {{ id: number, args: string[], folder: string | undefined, env: NodeJS.ProcessEnv, input: Uint8Array }} Command
 * @typedef {{ id: number, output: string, failure: string | undefined }} Result
 */

process.on('message', (message) => {
  const { id, args, folder, env, input } = /** @type {Command} */ (message);
  const [output, errors] = [[], []];
  const answer = (failure) => process.send?.({ id, output: Buffer.concat(output).toString(), failure });
  const child = spawn('git', args, { ...(folder === undefined ? {} : { cwd: folder }), env });
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => errors.push(chunk));
  child.stdin.on('error', () => {});
  child.on('error', ({ message }) => answer(message));
  child.on('close', (code) =>
    answer(code === 0 ? undefined : Buffer.concat(errors).toString() || `it ended with ${code}`),
  );
  child.stdin.end(input);
});
