import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { DockerfileParser } from 'dockerfile-ast';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#lib/http/openapi/operations.ts';

const FILES = readdirSync('.').filter((name) => name.startsWith('Dockerfile'));

const BUILT = [
  'node_modules',
  '.next',
  'dist/chainbreak.mjs',
  'dist/engine-worker.mjs',
  'dist/actions-worker.mjs',
  'dist/migrate.mjs',
  'dist/redis-bridge.mjs',
];

function argumentsOf(file: string, keyword: string): string[] {
  return DockerfileParser.parse(readFileSync(file, 'utf8'))
    .getInstructions()
    .filter((each) => each.getKeyword() === keyword)
    .map((each) => each.getArgumentsContent() ?? '');
}

describe('the images', () => {
  it('are those of the command line and of the service', () => {
    expect(FILES).toEqual(['Dockerfile', 'Dockerfile.service']);
  });

  it.each(FILES)('%s names its base, runs as another user than root and starts without a shell', (file) => {
    for (const base of argumentsOf(file, 'FROM')) expect(base).toMatch(/^node:\d+-alpine(?: AS \w+)?$/);
    expect(argumentsOf(file, 'USER')).toEqual(['node']);
    expect(argumentsOf(file, 'ADD')).toEqual([]);
    for (const start of [...argumentsOf(file, 'CMD'), ...argumentsOf(file, 'ENTRYPOINT')]) expect(start).toMatch(/^\[/);
    for (const run of argumentsOf(file, 'RUN')) expect(run).not.toMatch(/npm (?:install|ci)(?! --ignore-scripts)/);
  });

  it.each(FILES)('%s copies from the build only what the repository has or the build makes', (file) => {
    const copied = argumentsOf(file, 'COPY').flatMap((copy) =>
      [...copy.matchAll(/\/build\/(\S+)/g)].map(([, path = '']) => path),
    );
    expect(copied.length).toBeGreaterThan(1);
    expect(copied.filter((path) => !BUILT.includes(path) && !existsSync(path))).toEqual([]);
  });

  it('says of the service whether it is healthy, by a route of the API', () => {
    const [check = ''] = argumentsOf('Dockerfile.service', 'HEALTHCHECK');
    const [, route] = /(\/api\/\w+)/.exec(check) ?? [];
    expect(OPERATIONS.map(({ path }) => path)).toContain(route);
    expect(argumentsOf('Dockerfile.service', 'CMD')).toEqual(['["node", "lib/http/serve.mjs"]']);
  });
});
