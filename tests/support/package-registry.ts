import type { ServerResponse } from 'node:http';
import { type RegistryForTests, startRegistry } from './registry.ts';

interface PublishOptions {
  readonly version?: string;
  readonly provenance?: boolean;
  readonly source?: string;
}

export interface PypiFile {
  readonly filename: string;
  readonly 'upload-time'?: string;
  readonly yanked?: boolean | string;
  readonly provenance?: string | null;
}

export interface PackageRegistryForTests extends RegistryForTests {
  npm(name: string, options?: PublishOptions): void;
  pypi(project: string, files: readonly PypiFile[], options?: Pick<PublishOptions, 'source'>): void;
}

export const SIMPLE_INDEX = 'application/vnd.pypi.simple.v1+json';

export async function startPackageRegistry(): Promise<PackageRegistryForTests> {
  const answers = new Map<string, unknown>();
  const registry = await startRegistry((response, request) => {
    const path = request.url ?? '';
    const found = answers.get(path);
    const [, project] = /^\/pypi\.org\/simple\/([^/]+)\/?$/.exec(path) ?? [];
    if (project !== undefined && path !== `/pypi.org/simple/${project.toLowerCase().replace(/[-_.]+/g, '-')}/`) {
      response.writeHead(301, { location: `${registry.origin}/pypi.org/simple/${project}/` }).end();
    } else if (project !== undefined && request.headers.accept !== SIMPLE_INDEX) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html>');
    } else if (found === undefined) {
      send(response, 404, { message: 'Not Found' });
    } else {
      send(response, 200, found);
    }
  });
  return {
    ...registry,
    npm: (name, { version = '1.0.0', provenance = false, source } = {}) => {
      const url = `https://registry.npmjs.org/-/npm/v1/attestations/${encodeURIComponent(name)}@${version}`;
      answers.set(`/registry.npmjs.org/${name.replace('/', '%2f')}/latest`, {
        name,
        version,
        dist: {
          shasum: 'a'.repeat(40),
          ...(provenance
            ? { attestations: { url, provenance: { predicateType: 'https://slsa.dev/provenance/v1' } } }
            : {}),
        },
        ...(source === undefined ? {} : { repository: { type: 'git', url: source } }),
      });
    },
    pypi: (project, files, { source } = {}) => {
      answers.set(`/pypi.org/simple/${project}/`, {
        meta: { 'api-version': '1.4' },
        name: project,
        files: files.map((file) => ({
          'upload-time': '2026-01-01T00:00:00.000000Z',
          yanked: false,
          provenance: null,
          ...file,
        })),
      });
      for (const { filename } of files) {
        const version = /-(\d[^-]*?)(?:-.*\.whl|\.tar\.gz|\.zip)$/.exec(filename)?.[1] ?? '';
        const info = { name: project, version, project_urls: source === undefined ? null : { Source: source } };
        answers.set(`/pypi.org/pypi/${project}/${version}/json`, { info });
      }
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
