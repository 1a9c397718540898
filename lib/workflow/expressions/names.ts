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

export const STATUS_FUNCTIONS = ['always', 'cancelled', 'failure', 'success', 'hashFiles', 'case'];
