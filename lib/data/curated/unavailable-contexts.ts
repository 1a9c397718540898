export const UNAVAILABLE_CONTEXTS = {
  jobCondition: ['env', 'job', 'matrix', 'runner', 'secrets', 'steps', 'strategy'],
  stepCondition: ['secrets'],
  strategy: ['env', 'job', 'matrix', 'runner', 'secrets', 'steps', 'strategy'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
