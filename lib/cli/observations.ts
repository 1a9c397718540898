import { existsSync, readFileSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { AppError } from '#lib/errors.ts';
import type { NetworkFacts, ObservedTag } from '#lib/facts/facts.ts';
import { releaseTagsUsed } from '#lib/facts/observed-tags.ts';
import { printableJson } from '#lib/report/runner-commands.ts';
import type { UsedAction } from '#lib/workflow/model/action-uses.ts';
import { replaceFile } from './replace-file.ts';

const File = z.object({
  version: z.literal(1),
  tags: z.record(z.string(), z.record(z.string(), z.object({ commit: z.string(), at: z.string() }))),
});

export type Observations = Map<string, Map<string, ObservedTag>>;

export function readObservations(file: string): Observations {
  if (!existsSync(file)) return new Map();
  if (statSync(file).isCharacterDevice()) throw new AppError('usage', `"${file}" is a device.`);
  try {
    const { tags } = File.parse(JSON.parse(readFileSync(file, 'utf8')));
    return new Map(Object.entries(tags).map(([slug, named]) => [slug, new Map(Object.entries(named))]));
  } catch (cause) {
    throw new AppError('usage', `"${file}" is not a chainbreak observations file.`, { cause });
  }
}

export function observe(
  observations: Observations,
  used: readonly UsedAction[],
  network: NetworkFacts,
  now: Date,
): void {
  for (const { slug, tag, commit } of releaseTagsUsed(used, network)) {
    if (commit === undefined) continue;
    const seen = observations.get(slug) ?? new Map<string, ObservedTag>();
    observations.set(slug, seen);
    if (!seen.has(tag)) seen.set(tag, { commit, at: now.toISOString() });
  }
}

export function writeObservations(observations: Observations, file: string): void {
  const sorted = <T>(map: ReadonlyMap<string, T>): [string, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  const tags = Object.fromEntries(
    sorted(observations).map(([slug, named]) => [slug, Object.fromEntries(sorted(named))]),
  );
  replaceFile(file, printableJson({ version: 1, tags }, 1));
}
