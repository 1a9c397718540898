/**
 * Bounds per file and repository, checked before anything expands. The largest of 2,300 measured files has 300 kB and
 * 9,000 nodes, the largest repository 470 kB.
 */
export const MAX_FILE_BYTES = 1024 * 1024;
export const MAX_REPOSITORY_BYTES = 8 * 1024 * 1024;
export const MAX_YAML_TOKENS = 150_000;
export const MAX_YAML_DEPTH = 64;
export const MAX_EXPANDED_NODES = 100_000;
/**
 * Limits on a line inside a value, a key, and a naming value. In 2,100 real files the longest have 10,306, 57 and 382
 * characters.
 */
export const MAX_LINE_LENGTH = 50_000;
export const MAX_KEY_LENGTH = 1_000;
export const MAX_NAME_LENGTH = 5_000;
export const MAX_JOBS = 1_000;
export const MAX_STEPS = 2_000;
export const MAX_SHARED_VARIABLES = 1_000;
export const MAX_EXPRESSIONS_PER_TEXT = 1_000;
export const MAX_EXPRESSION_LENGTH = 21_000;
export const MAX_SCRIPT_LENGTH = 200_000;
export const MAX_RELATED_COMMANDS = 1_500;
export const MAX_DIAGNOSTICS_PER_FILE = 20;
