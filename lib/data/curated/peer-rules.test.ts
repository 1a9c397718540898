import { describe, expect, it } from 'vitest';
import { rules } from '#lib/scanner/rules/index.ts';
import { PEER_RULES, PEERS } from './peer-rules.ts';

describe('the rules of other scanners', () => {
  const known = new Set(rules.map(({ id }) => id));
  it.each(PEERS)('of %s are listed once and refer to existing rules', (peer) => {
    const ids = PEER_RULES[peer].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(PEER_RULES[peer].flatMap((entry) => entry.rules).filter((id) => !known.has(id))).toEqual([]);
  });

  it('have a note if Chainbreak has no equivalent', () => {
    for (const peer of PEERS) {
      for (const { id, rules: ours, note } of PEER_RULES[peer]) if (ours.length === 0) expect(note, id).toBeDefined();
    }
  });
});
