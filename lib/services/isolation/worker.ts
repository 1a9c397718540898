/** Entry point of a thread, bundled by `lib/tools/build-worker.mjs`. */
export { perform } from './perform.ts';
