import { boolCoreTag, floatCoreTag, intCoreTag, NOT_RESOLVED, nullCoreTag, type ScalarTagDefinition } from 'js-yaml';

const NUMBERS: readonly ScalarTagDefinition[] = [intCoreTag, floatCoreTag];
const WORDS: readonly ScalarTagDefinition[] = [nullCoreTag, boolCoreTag];

export function plainValue(source: string): string | number | boolean | null {
  const tags = /^[-+.\d]/.test(source) ? NUMBERS : /^[~nNtTfF]/.test(source) ? WORDS : [];
  for (const tag of tags) {
    const value: unknown = tag.resolve(source, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value as number | boolean | null;
  }
  return source;
}
