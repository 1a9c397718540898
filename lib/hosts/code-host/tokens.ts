import type { App } from '@octokit/app';
import type { Client, TokenSource } from './client.ts';
import { CodeHostFailure } from './errors.ts';

interface InstallationToken {
  readonly token: string;
  readonly createdAt: string;
  readonly permissions: Readonly<Record<string, string>>;
}

/** A permission that is missing may have been granted since the token was made. */
const RECENT_MS = 60_000;

/** The tokens of one installation. The client library makes them when needed and keeps them for most of an hour. */
export class InstallationTokens implements TokenSource {
  readonly #app: App;
  readonly #asApp: Client;
  readonly #installationId: string;
  #current: InstallationToken | undefined;

  /** `asApp` keeps to what the code host allows the app itself, which making a token counts as. */
  constructor(app: App, asApp: Client, installationId: string) {
    this.#app = app;
    this.#asApp = asApp;
    this.#installationId = installationId;
  }

  async get(refused?: string): Promise<string> {
    const isCurrent = refused !== undefined && refused === this.#current?.token;
    return (await this.#authenticate(isCurrent)).token;
  }

  /** Whether the installation's owner has granted a permission, at least for reading. */
  async mayRead(permission: string): Promise<boolean> {
    let { permissions, createdAt } = await this.#authenticate(false);
    if (permissions[permission] === undefined && Date.now() - Date.parse(createdAt) > RECENT_MS) {
      ({ permissions, createdAt } = await this.#authenticate(true));
    }
    return permissions[permission] !== undefined;
  }

  async #authenticate(anew: boolean): Promise<InstallationToken> {
    const options = { type: 'installation', installationId: Number(this.#installationId), refresh: anew };
    try {
      const made = (await this.#asApp.guard(() => this.#app.octokit.auth(options))) as InstallationToken;
      this.#current = made;
      return made;
    } catch (error) {
      if (!(error instanceof CodeHostFailure) || error.kind !== 'missing') throw error;
      throw new CodeHostFailure('uninstalled', error.message);
    }
  }
}
