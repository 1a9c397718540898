import { App } from '@octokit/app';
import { Octokit } from '@octokit/core';
import type { CodeHostForTests } from './code-host.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

export async function octokitOf(
  host: CodeHostForTests,
  installationId: number,
  narrowed: { readonly permissions?: Record<string, string>; readonly repository_ids?: number[] } = {},
): Promise<Octokit> {
  const { id: appId, privateKey } = host.app;
  const Client = Octokit.defaults({ baseUrl: host.apiUrl, log: SILENT });
  const app = new App({ appId, privateKey, Octokit: Client, log: SILENT });
  const { data } = await app.octokit.request('POST /app/installations/{installation_id}/access_tokens', {
    installation_id: installationId,
    ...narrowed,
  });
  return new Client({ auth: data.token });
}

export function octokitOfUser(host: CodeHostForTests, login: string): Octokit {
  return new Octokit({ baseUrl: host.apiUrl, log: SILENT, auth: host.tokenOf(login) });
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly errors: unknown;
}

export async function refusalOf(asked: Promise<unknown>): Promise<Refusal> {
  try {
    await asked;
  } catch (error) {
    const {
      status = 200,
      errors,
      response,
    } = error as {
      readonly status?: number;
      readonly errors?: readonly { readonly type?: string; readonly message: string }[];
      readonly response?: { readonly data?: { readonly message?: string; readonly errors?: unknown } };
    };
    if (errors !== undefined) return { status, message: errors[0]?.message ?? '', errors };
    return { status, message: response?.data?.message ?? String(error), errors: response?.data?.errors };
  }
  throw new Error('Nothing was refused.');
}
