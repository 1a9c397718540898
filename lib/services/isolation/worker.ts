export { perform } from './perform.ts';
