import { perform } from './perform.ts';

/** What a thread runs for each task; bundled by `lib/tools/build-worker.mjs`. */
export default perform;
