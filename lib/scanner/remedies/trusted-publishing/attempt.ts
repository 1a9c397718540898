import type { Fix } from '../../engine/rule.ts';

/** A fix, or a sentence on why there is none; undefined if the registry's general advice suffices. */
export type Attempt = Fix | { readonly why: string } | undefined;
