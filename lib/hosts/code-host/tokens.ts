import type { App } from '@octokit/app';
import type { Client, TokenSource } from './client.ts';
import { CodeHostFailure } from './errors.ts';
import { readGrants } from './installations.ts';

type Permissions = Readonly<Record<string, string>>;

export interface Scope {
  readonly permissions: readonly string[];
  /** Permissions that need write access. If one is missing, no token is minted. */
  readonly writes?: readonly string[];
  readonly repositoryId?: number;
}

const RECENT_MS = 60_000;

export class InstallationTokens {
  readonly #app: App;
  readonly #asApp: Client;
  readonly #installationId: string;
  #grants: { readonly readAt: number; readonly permissions: Promise<Permissions> } | undefined;

  constructor(app: App, asApp: Client, installationId: string) {
    this.#app = app;
    this.#asApp = asApp;
    this.#installationId = installationId;
  }

  mayRead(permission: string): Promise<boolean> {
    return this.#isGranted((grants) => grants[permission] !== undefined);
  }

  mayWrite(permission: string): Promise<boolean> {
    return this.#isGranted((grants) => grants[permission] === 'write');
  }

  async #isGranted(isIn: (grants: Permissions) => boolean): Promise<boolean> {
    const readAt = this.#grants?.readAt;
    if (isIn(await this.#readGrants())) return true;
    if (readAt === undefined || Date.now() - readAt <= RECENT_MS) return false;
    this.#grants = undefined;
    return isIn(await this.#readGrants());
  }

  tokensFor(scope: Scope): TokenSource {
    return {
      get: async (refused) => {
        const token = await this.#mint(scope, false);
        return token === refused ? this.#mint(scope, true) : token;
      },
    };
  }

  async #mint(scope: Scope, refresh: boolean): Promise<string> {
    try {
      return await this.#authenticate(scope, refresh);
    } catch (error) {
      if (!isInvalid(error)) throw error;
    }
    // A permission was revoked, or the repository left the installation.
    this.#grants = undefined;
    try {
      return await this.#authenticate(scope, refresh);
    } catch (error) {
      if (!isInvalid(error)) throw error;
      if (scope.writes !== undefined) throw new CodeHostFailure('forbidden', 'No token to write with.');
      if (scope.repositoryId === undefined) throw error;
      return this.#authenticate({ permissions: [] }, refresh);
    }
  }

  async #authenticate({ permissions, writes = [], repositoryId }: Scope, refresh: boolean): Promise<string> {
    const granted: Record<string, string> = { metadata: 'read' };
    for (const permission of permissions) if (await this.mayRead(permission)) granted[permission] = 'read';
    for (const permission of writes) granted[permission] = 'write';
    const options = {
      type: 'installation',
      installationId: Number(this.#installationId),
      permissions: granted,
      ...(repositoryId === undefined ? {} : { repositoryIds: [repositoryId] }),
      refresh,
    };
    const minted = this.#asApp.guard(() => this.#app.octokit.auth(options)) as Promise<{ token: string }>;
    return (await minted.catch(rethrowMissing)).token;
  }

  async #readGrants(): Promise<Permissions> {
    const grants = (this.#grants ??= {
      readAt: Date.now(),
      permissions: readGrants(this.#asApp, this.#installationId).catch(rethrowMissing),
    });
    try {
      return await grants.permissions;
    } catch (error) {
      if (this.#grants === grants) this.#grants = undefined;
      throw error;
    }
  }
}

function isInvalid(error: unknown): boolean {
  return error instanceof CodeHostFailure && error.kind === 'invalid';
}

function rethrowMissing(error: unknown): never {
  if (!(error instanceof CodeHostFailure) || error.kind !== 'missing') throw error;
  throw new CodeHostFailure('uninstalled', error.message);
}
