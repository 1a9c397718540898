import type { Fix } from '../../engine/rule.ts';

/** A fix, or a sentence that says why this step has none; undefined where the registry's general advice suffices. */
export type Attempt = Fix | { readonly why: string } | undefined;
