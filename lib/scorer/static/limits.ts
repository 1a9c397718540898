/**
 * Characters of one JavaScript file, of which the largest in a popular action has about 4 million, and of all files of
 * one action.
 */
export const MAX_JAVASCRIPT = 6_000_000;
export const MAX_JAVASCRIPT_TOTAL = 10_000_000;
export const MAX_JAVASCRIPT_FILES = 60;
/** Syntax nodes of one JavaScript file; minified code has one for every four characters. */
export const MAX_NODES = 1_500_000;
export const MAX_SCOPE_DEPTH = 200;
export const MAX_LOOKUPS = 1_000_000;

export const MAX_DOCKERFILE = 64 * 1024;
/** Characters of one script, scripts of one action, and characters of all of them. */
export const MAX_SCRIPT = 50_000;
export const MAX_SCRIPTS = 300;
export const MAX_SCRIPTS_TOTAL = 500_000;
export const MAX_DEFINITIONS = 20;
