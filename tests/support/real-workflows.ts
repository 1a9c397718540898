import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rules } from '#lib/scanner/rules/index.ts';

const CORPUS = '.corpus/repos';

export const HAS_CORPUS = existsSync(CORPUS);

export function corpusTexts(): string[] {
  if (!HAS_CORPUS) return [];
  return readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .sort()
    .map((path) => readFileSync(join(CORPUS, path), 'utf8'));
}

export function exampleTexts(): string[] {
  return rules.flatMap(({ examples }) =>
    [...examples.bad, ...examples.good].flatMap(({ yaml }) =>
      typeof yaml === 'string' ? [yaml] : Object.values(yaml),
    ),
  );
}
