import type { Category } from './rule.ts';

export const CATEGORY_TITLES: Readonly<Record<Category, string>> = {
  'CICD-SEC-1': 'Insufficient Flow Control Mechanisms',
  'CICD-SEC-2': 'Inadequate Identity and Access Management',
  'CICD-SEC-3': 'Dependency Chain Abuse',
  'CICD-SEC-4': 'Poisoned Pipeline Execution (PPE)',
  'CICD-SEC-5': 'Insufficient PBAC (Pipeline-Based Access Controls)',
  'CICD-SEC-6': 'Insufficient Credential Hygiene',
  'CICD-SEC-7': 'Insecure System Configuration',
  'CICD-SEC-8': 'Ungoverned Usage of 3rd Party Services',
  'CICD-SEC-9': 'Improper Artifact Integrity Validation',
  'CICD-SEC-10': 'Insufficient Logging and Visibility',
};

export const CATEGORIES = Object.keys(CATEGORY_TITLES) as Category[];
