import * as z from 'zod/mini';
import type { ProvenanceRegistry } from '#lib/analysis/publishing/published-packages.ts';
import type { PublishedVersion, Source } from '#lib/facts/facts.ts';
import { askRegistry, readJson } from '../request.ts';
import { HOSTS, normalizedName, npmSegment } from './registries.ts';

export interface Asking {
  readonly origin: string | null;
  readonly deadline: AbortSignal;
}

/** PyPI lists every file of a project: 4,000 files take 4 MB. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_VERSION_LENGTH = 100;

const Version = z.string().check(z.regex(/^[0-9A-Za-z][0-9A-Za-z.+!_-]*$/), z.maxLength(MAX_VERSION_LENGTH));

const NpmManifest = z.object({
  version: Version,
  dist: z.object({ attestations: z.optional(z.nullable(z.record(z.string(), z.unknown()))) }),
  repository: z.optional(z.unknown()),
});

/**
 * Returns what npm shows of the `latest` version; null if the package is missing or private.
 * https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md, https://docs.npmjs.com/viewing-package-provenance
 */
export async function readNpm(name: string, asking: Asking): Promise<Source<PublishedVersion | null>> {
  const answer = await ask('npm', `/${npmSegment(name)}/latest`, 'application/json', NpmManifest, asking);
  if ('missing' in answer || answer.value === null) return answer as Source<null>;
  const { version, dist, repository } = answer.value;
  const provenance = dist.attestations !== undefined && dist.attestations !== null;
  const address =
    typeof repository === 'object' && repository !== null && 'url' in repository ? repository.url : repository;
  return { value: { registry: 'npm', name, version, provenance, sources: sourcesIn([address]) } };
}

/** https://packaging.python.org/specifications/simple-repository-api/; `provenance` since version 1.3. */
const SimpleFile = z.object({
  filename: z.string(),
  'upload-time': z.string(),
  yanked: z.optional(z.union([z.boolean(), z.string()])),
  provenance: z.optional(z.nullable(z.string())),
});
type SimpleFile = z.infer<typeof SimpleFile>;
const SimpleIndex = z.object({ files: z.array(SimpleFile) });

const ReleaseInfo = z.object({
  info: z.object({
    home_page: z.optional(z.unknown()),
    project_urls: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  }),
});

/**
 * Returns what PyPI shows of the newest final version that is not yanked, else of any version; null if there is none.
 * https://docs.pypi.org/api/index-api/, https://docs.pypi.org/api/integrity/
 */
export async function readPypi(name: string, asking: Asking): Promise<Source<PublishedVersion | null>> {
  const project = normalizedName(name);
  const accept = 'application/vnd.pypi.simple.v1+json';
  const index = await ask('PyPI', `/simple/${project}/`, accept, SimpleIndex, asking);
  if ('missing' in index || index.value === null) return index as Source<null>;
  const newest = newestOf(index.value.files);
  if (newest === undefined) return { value: null };
  const { version, files } = newest;
  // Older index versions have no provenance field.
  if (files.every(({ provenance }) => provenance === undefined)) return { missing: 'offline' };
  const provenance = files.some((file) => typeof file.provenance === 'string');
  const found = { registry: 'PyPI', name, version, provenance } as const;
  if (provenance) return { value: { ...found, sources: new Set() } };
  const path = `/pypi/${project}/${encodeURIComponent(version)}/json`;
  const release = await ask('PyPI', path, 'application/json', ReleaseInfo, asking);
  const info = 'value' in release ? release.value?.info : undefined;
  const addresses = [info?.home_page, ...Object.values(info?.project_urls ?? {})];
  return { value: { ...found, sources: sourcesIn(addresses) } };
}

/** https://packaging.python.org/specifications/version-specifiers/; excludes pre-releases. */
const FINAL = /^\d+(?:\.\d+)*(?:\.?post\d+)?$/;

function newestOf(
  all: readonly SimpleFile[],
): { readonly version: string; readonly files: readonly SimpleFile[] } | undefined {
  const byVersion = new Map<string, SimpleFile[]>();
  for (const file of all) {
    const version = versionOf(file.filename);
    const isYanked = file.yanked !== undefined && file.yanked !== false;
    if (version === undefined || isYanked || !Version.safeParse(version).success) continue;
    const files = byVersion.get(version);
    if (files === undefined) byVersion.set(version, [file]);
    else files.push(file);
  }
  const finals = [...byVersion.keys()].filter((version) => FINAL.test(version));
  let newest: { readonly version: string; readonly files: readonly SimpleFile[]; readonly at: string } | undefined;
  for (const version of finals.length > 0 ? finals : byVersion.keys()) {
    const files = byVersion.get(version) ?? [];
    const at = files.reduce((latest, file) => (file['upload-time'] > latest ? file['upload-time'] : latest), '');
    if (newest === undefined || at > newest.at) newest = { version, files, at };
  }
  return newest;
}

function versionOf(filename: string): string | undefined {
  if (filename.endsWith('.whl')) return filename.split('-')[1];
  const [, stem] = /^(.+)\.(?:tar\.gz|zip)$/.exec(filename) ?? [];
  return stem?.slice(stem.lastIndexOf('-') + 1);
}

function sourcesIn(addresses: readonly unknown[]): ReadonlySet<string> {
  const found = addresses.flatMap((address) => {
    if (typeof address !== 'string' || address.length > 1_000) return [];
    const [, owner, name] = /(?:\bgithub\.com[/:]|^github:|^)([\w-]+)\/([\w.-]+)(?:[/?#]|$)/i.exec(address) ?? [];
    if (owner === undefined || name === undefined || /^(?:orgs|sponsors)$/i.test(owner)) return [];
    return [`${owner}/${name.replace(/\.git$/i, '')}`.toLowerCase()];
  });
  return new Set(found);
}

async function ask<Shape extends z.ZodMiniType>(
  registry: ProvenanceRegistry,
  path: string,
  accept: string,
  shape: Shape,
  { origin, deadline }: Asking,
): Promise<Source<z.infer<Shape> | null>> {
  const host = `${origin ?? 'https:/'}/${HOSTS[registry]}`;
  const request = {
    registry: host,
    method: 'GET',
    url: `${host}${path}`,
    headers: { accept },
    deadline,
    absent: { value: null },
  } as const;
  return askRegistry<z.infer<Shape> | null>(request, async (response) => {
    const json = await readJson(response, MAX_BYTES);
    if ('missing' in json) return json;
    const parsed = shape.safeParse(json.value);
    return parsed.success ? { value: parsed.data } : { missing: 'offline' };
  });
}
