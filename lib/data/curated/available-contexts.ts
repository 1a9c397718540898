const CALL = ['github', 'inputs', 'matrix', 'needs', 'strategy', 'vars'] as const;

export const CONTEXTS: ReadonlySet<string> = new Set([
  ...CALL,
  ...['env', 'job', 'jobs', 'runner', 'secrets', 'steps'],
]);

export const AVAILABLE_CONTEXTS = {
  concurrency: ['github', 'inputs', 'vars'],
  env: ['github', 'inputs', 'secrets', 'vars'],
  'jobs.concurrency': CALL,
  'jobs.continue-on-error': CALL,
  'jobs.env': [...CALL, 'secrets'],
  'jobs.if': ['github', 'inputs', 'needs', 'vars'],
  'jobs.name': CALL,
  'jobs.runs-on': CALL,
  'jobs.secrets': [...CALL, 'secrets'],
  'jobs.steps.if': [...CALL, 'env', 'job', 'runner', 'steps'],
  'jobs.strategy': ['github', 'inputs', 'needs', 'vars'],
  'jobs.timeout-minutes': CALL,
  'jobs.with': CALL,
  'run-name': ['github', 'inputs', 'vars'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
