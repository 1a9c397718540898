import type { Rule } from '../engine/rule.ts';
import * as all from './all.ts';

export const rules: readonly Rule[] = Object.values(all).sort((a, b) => (a.id < b.id ? -1 : 1));
