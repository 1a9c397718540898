import { createHash } from 'node:crypto';
import type { NewActionVersion } from '#lib/db/queries/actions.ts';

let lastId = 500_000;

export function scoredAction(
  fullName: string,
  { score = 80, ...more }: Partial<NewActionVersion> & { readonly score?: number } = {},
): NewActionVersion {
  const [owner = '', name = ''] = fullName.split('/');
  const sha = more.sha ?? 'a'.repeat(40);
  const signals = [
    {
      id: 'stale-12m',
      family: 'metadata' as const,
      state: 'present' as const,
      n: 1,
      points: 100 - score,
      evidence: 'Old.',
    },
  ];
  return {
    scm_id: String((lastId += 1)),
    owner_scm_id: '77',
    owner,
    name,
    description: `Does what ${name} does`,
    url: `https://code.example/${fullName}`,
    stars: 10,
    archived: false,
    path: '',
    sha,
    refs: [{ ref: 'refs/tags/v1.0.0', commit: sha }],
    evaluation: {
      algorithm_version: '1.0.0',
      signals_hash: createHash('sha256').update(JSON.stringify(signals)).digest('hex'),
      score,
      score_floor: Math.max(0, score - 5),
      band: score >= 90 ? 'A' : score >= 80 ? 'B' : score >= 65 ? 'C' : score >= 50 ? 'D' : 'F',
      coverage: 0.9,
      provisional: false,
      hard_block: [],
      breakdown: { static: 0, metadata: 100 - score, tag: 0, advisory: 0 },
      signals,
      finding_counts: { HIGH: 0, MEDIUM: 1, LOW: 0, INFO: 0 },
    },
    ...more,
  };
}
