import type { Rule } from '../rule.ts';
import { aiAgentUnrestrictedTrigger } from './ai-agent-unrestricted-trigger.ts';
import { aiAgentUnsafeSandbox } from './ai-agent-unsafe-sandbox.ts';
import { aiPromptInjection } from './ai-prompt-injection.ts';
import { artifactPoisoning } from './artifact-poisoning.ts';
import { cachePoisoning } from './cache-poisoning.ts';
import { githubEnv } from './github-env.ts';
import { insecureCommands } from './insecure-commands.ts';
import { outputClobbering } from './output-clobbering.ts';
import { templateInjection } from './template-injection.ts';
import { unpinnedUses } from './unpinned-uses.ts';

/** Every rule, by id. A new rule is one file and one line here. */
export const rules: readonly Rule[] = [
  aiAgentUnrestrictedTrigger,
  aiAgentUnsafeSandbox,
  aiPromptInjection,
  artifactPoisoning,
  cachePoisoning,
  githubEnv,
  insecureCommands,
  outputClobbering,
  templateInjection,
  unpinnedUses,
];
