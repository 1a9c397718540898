import { perform } from './perform.ts';

/** Entry point of a thread, bundled by `lib/tools/build-worker.mjs`. */
export default perform;
