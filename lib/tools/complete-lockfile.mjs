/**
 * Adds the optional packages of other platforms that the registry did not serve when package-lock.json was written, so
 * that `npm ci` accepts it everywhere. Their version is the one that the package pins; their hash is unknown.
 * @typedef {{
 *   version?: string, optional?: boolean, dev?: boolean, devOptional?: boolean,
 *   os?: string[], cpu?: string[], libc?: string[], optionalDependencies?: Record<string, string>
 * }} Entry
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const LOCKFILE = 'package-lock.json';
const SYSTEM = /^(?:aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)$/;
const PROCESSOR = /^(?:arm|arm64|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64)$/;

/**
 * Returns the packages of a lockfile with an entry for each optional dependency, sorted as npm sorts them.
 * @param {Readonly<Record<string, Entry>>} packages
 * @returns {Record<string, Entry>}
 */
export function complete(packages) {
  const all = { ...packages };
  for (const [path, { optionalDependencies = {}, dev, devOptional }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (isResolved(all, path, name)) continue;
      if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version)) throw new Error(`${path} does not pin ${name}.`);
      const kind = { ...(dev && { dev }), ...(devOptional && { devOptional }) };
      all[`node_modules/${name}`] = { version, ...platformOf(name), ...kind, optional: true };
    }
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => a.localeCompare(b, 'en')));
}

function isResolved(packages, path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (`${at === '' ? '' : `${at}/`}node_modules/${name}` in packages) return true;
    if (at === '') return false;
  }
}

function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.filter((word) => SYSTEM.test(word));
  const cpu = words.filter((word) => PROCESSOR.test(word));
  if (cpu.length === 0) throw new Error(`${name} names no platform.`);
  const libc = /-musl/.test(name) ? ['musl'] : /-gnu/.test(name) ? ['glibc'] : [];
  return { cpu, ...(os.includes('linux') && libc.length > 0 && { libc }), ...(os.length > 0 && { os }) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lock = JSON.parse(readFileSync(LOCKFILE, 'utf8'));
  writeFileSync(LOCKFILE, `${JSON.stringify({ ...lock, packages: complete(lock.packages) }, null, 2)}\n`);
}
