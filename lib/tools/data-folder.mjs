import { parseArgs } from 'node:util';

/** @returns {never} */
export function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

export function dataFolder() {
  try {
    return parseArgs({ options: { data: { type: 'string', default: '.chainbreak' } } }).values.data;
  } catch (error) {
    return stop(`${String(error)}\nUsage: npm start [-- --data <folder>]`);
  }
}
