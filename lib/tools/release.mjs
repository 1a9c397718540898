import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { STANDALONE_BUNDLE } from './bundle.mjs';

const MAX_PACKAGE_BYTES = 1_000_000;
const COPIED = ['LICENSE', 'README.md', 'action.yml', '.pre-commit-hooks.yaml', '.github/scan.sh'];

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, out: { type: 'string', default: 'dist/release' } },
});
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { name, version, description, license, homepage, engines } = manifest;
const tree = join(values.out, 'tree');
rmSync(values.out, { recursive: true, force: true });
mkdirSync(join(tree, 'dist'), { recursive: true });

const { metafile } = await build({
  ...STANDALONE_BUNDLE,
  entryPoints: [...STANDALONE_BUNDLE.entryPoints],
  outfile: join(tree, 'dist/cli.mjs'),
  define: { PROGRAM_FILE: JSON.stringify(`chainbreak-${version}`), IS_STANDALONE: 'true' },
  metafile: true,
});
for (const file of COPIED) cpSync(file, join(tree, file));
writeJson(join(tree, 'package.json'), {
  ...{ name, version, description, license, homepage },
  keywords: ['github-actions', 'security', 'ci', 'supply-chain', 'sarif', 'scanner'],
  type: 'module',
  engines,
  bin: { chainbreak: 'dist/cli.mjs' },
  files: ['dist/cli.mjs', 'LICENSE', 'README.md'],
});

const [packed] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', '..'], {
    cwd: tree,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
);
writeJson(join(values.out, `${name}-${version}.cdx.json`), materials(metafile));
cpSync(join(tree, 'dist/cli.mjs'), join(values.out, `${name}-${version}.mjs`));
const files = readdirSync(values.out).filter((file) => file !== 'tree');
const sums = files.map((file) => `${hashOf(readFileSync(join(values.out, file)))}  ${file}\n`);
writeFileSync(join(values.out, 'SHA256SUMS'), sums.join(''));

const problems = check();
for (const file of [...files, 'SHA256SUMS'].sort()) {
  process.stdout.write(`${String(statSync(join(values.out, file)).size).padStart(9)}  ${file}\n`);
}
process.stdout.write(`${'tree'.padStart(9)}  the commit of tag v${version}: ${readdirSync(tree).sort().join(', ')}\n`);
if (values['dry-run']) process.stdout.write(`npm: ${registryState()}\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

function check() {
  const found = [];
  const published = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'));
  if (packed.size > MAX_PACKAGE_BYTES)
    found.push(`The package has ${packed.size} bytes; at most ${MAX_PACKAGE_BYTES}.`);
  for (const key of ['dependencies', 'scripts']) {
    if (published[key] !== undefined) found.push(`The package has ${key}.`);
  }
  const said = execFileSync(process.execPath, [join(tree, 'dist/cli.mjs'), '--version'], { encoding: 'utf8' }).trim();
  if (said !== version) found.push(`The program says it is ${said}, the package ${version}.`);
  if (!values['dry-run'] && new URL(homepage).hostname.endsWith('.example')) {
    found.push(`${homepage} is a reserved name: set "homepage" in package.json to the site that shows the rules.`);
  }
  const headings = readFileSync('CHANGELOG.md', 'utf8').match(/^## .*$/gm) ?? [];
  if (!values['dry-run'] && !headings.some((heading) => heading.startsWith(`## ${version}`))) {
    found.push(`CHANGELOG.md has no section "## ${version}".`);
  }
  return found;
}

function registryState() {
  try {
    const known = execFileSync('npm', ['view', `${name}@latest`, 'version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 30_000,
    }).trim();
    return known === version ? `${name}@${version} is published` : `${name} is taken, at ${known}`;
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    return /\bE404\b/.test(text) ? `${name} is free` : 'the registry did not answer';
  }
}

function materials({ inputs }) {
  const folders = new Set(
    Object.keys(inputs).flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const components = [...folders].sort().flatMap((folder) => {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) return [];
    const { name: title, version: of, license: terms } = JSON.parse(readFileSync(file, 'utf8'));
    const licenses = typeof terms === 'string' ? { licenses: [{ expression: terms }] } : {};
    const purl = `pkg:npm/${title.replace('@', '%40')}@${of}`;
    return [{ type: 'library', 'bom-ref': purl, name: title, version: of, purl, ...licenses }];
  });
  const component = { type: 'application', name, version, purl: `pkg:npm/${name}@${version}` };
  return { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component }, components };
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
