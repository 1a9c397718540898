import type { Combo } from '../combo.ts';
import * as all from './all.ts';

export const combos: readonly Combo[] = Object.values(all).sort((a, b) => (a.id < b.id ? -1 : 1));
