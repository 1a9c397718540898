export const CONTEXTS = [
  'github',
  'env',
  'vars',
  'job',
  'jobs',
  'steps',
  'runner',
  'secrets',
  'strategy',
  'matrix',
  'needs',
  'inputs',
];

/** Functions that the expression library does not know by itself. */
export const STATUS_FUNCTIONS = ['always', 'cancelled', 'failure', 'success', 'hashFiles', 'case'];
