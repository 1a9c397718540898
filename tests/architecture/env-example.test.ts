import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseEnv, VARIABLES } from '#lib/env.ts';
import { demoVariables } from '#lib/launcher/configuration.ts';

const lines = readFileSync('.env.example', 'utf8').split('\n');
const entries = lines.flatMap((line, at) => {
  const [, name, value = ''] = /^([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
  return name === undefined ? [] : [{ name, value, above: lines[at - 1] ?? '' }];
});
const isDemo = (name: string) => /^DEMO\d?_/.test(name);

describe('.env.example', () => {
  it('contains every variable of the configuration once, and no other', () => {
    const known = Object.keys(VARIABLES).filter((name) => !isDemo(name));
    expect(entries.map(({ name }) => name)).toEqual(known);
  });

  it('shows the real defaults', () => {
    const defaults = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
    expect(parseEnv(defaults)).toEqual(parseEnv({}));
  });

  it('explains each variable, alone or in a group', () => {
    const bare = entries.filter(({ above }) => !above.startsWith('#') && !/^(SCM|UPSTASH)_/.test(above));
    expect(bare).toEqual([]);
  });

  it('covers the demo, which generates the same variables', () => {
    const generated = Object.keys(demoVariables({}, {}, { database: 1, codeHost: 2 }));
    expect(generated.filter((name) => !isDemo(name)).sort()).toEqual(entries.map(({ name }) => name).sort());
  });

  it('satisfies the configuration’s validation, like the demo', () => {
    expect(() => parseEnv(demoVariables({}, {}, { database: 1, codeHost: 2 }))).not.toThrow();
  });
});
