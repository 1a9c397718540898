import { createHash, createPublicKey, type KeyObject, randomBytes, timingSafeEqual, verify } from 'node:crypto';
import type { Account, Installation, Repository } from './model.ts';
import type { World } from './world.ts';

export interface AppCredentials {
  readonly id: number;
  readonly slug: string;
  readonly privateKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
}

export type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'app' }
  | { readonly kind: 'user'; readonly account: Account; readonly throughApp: boolean }
  | {
      readonly kind: 'installation';
      readonly installation: Installation;
      readonly permissions: Readonly<Record<string, string>>;
      readonly repositoryIds: readonly number[] | null;
    };

export type InstallationCaller = Extract<Caller, { kind: 'installation' }>;

export class BadCredentials extends Error {}

export class Suspended extends Error {}

export function isOf(caller: InstallationCaller, repository: Repository, world: World): boolean {
  return (
    world.isInstalledOn(caller.installation, repository) && caller.repositoryIds?.includes(repository.id) !== false
  );
}

export interface InstallationToken {
  readonly token: string;
  readonly expiresAt: Date;
}

interface Code {
  readonly account: Account;
  readonly redirectUri: string;
  readonly challenge: string | undefined;
  readonly expires: number;
}

const HOUR = 3_600_000;
export const SUSPENDED = 'This installation has been suspended';

/** Issues tokens, app JWTs and sign-in codes. Only the public token survives a restart. */
export class Credentials {
  readonly app: AppCredentials;
  readonly publicToken: string;
  readonly #world: World;
  readonly #publicKey: KeyObject;
  readonly #tokens = new Map<string, { readonly caller: Caller; readonly expires: number }>();
  readonly #codes = new Map<string, Code>();

  constructor(world: World, app: AppCredentials, publicToken: string, publicReader: Account) {
    this.#world = world;
    this.app = app;
    this.publicToken = publicToken;
    this.#publicKey = createPublicKey(app.privateKey);
    this.#remember(publicToken, { kind: 'user', account: publicReader, throughApp: false }, Number.MAX_SAFE_INTEGER);
  }

  callerOf(authorization: string | undefined): Caller {
    if (authorization === undefined) return { kind: 'anonymous' };
    const [, token] = /^(?:token|bearer) (\S+)$/i.exec(authorization) ?? [];
    if (token === undefined) throw new BadCredentials('Bad credentials');
    // Installation tokens contain dots too, so the prefix decides.
    if (token.startsWith('eyJ')) return this.#verifyAppToken(token);
    const known = this.#tokens.get(digest(token));
    if (known === undefined || known.expires < Date.now()) throw new BadCredentials('Bad credentials');
    const { caller } = known;
    if (caller.kind !== 'installation') return caller;
    const installation = this.#world.installations.find(({ id }) => id === caller.installation.id);
    if (installation === undefined) throw new BadCredentials('Bad credentials');
    if (installation.suspendedAt !== null) throw new Suspended(SUSPENDED);
    return { ...caller, installation };
  }

  revokeTokens(installationId: number): void {
    for (const [key, { caller }] of this.#tokens) {
      if (caller.kind === 'installation' && caller.installation.id === installationId) this.#tokens.delete(key);
    }
  }

  mintInstallationToken(
    installation: Installation,
    permissions: Readonly<Record<string, string>>,
    repositoryIds: readonly number[] | null,
  ): InstallationToken {
    // GitHub's stateless format: app id and three dot-separated parts, about 500 characters.
    const token = `ghs_${this.app.id}_${[36, 300, 120].map((size) => randomBytes(size).toString('base64url')).join('.')}`;
    const expires = Date.now() + HOUR;
    this.#remember(token, { kind: 'installation', installation, permissions, repositoryIds }, expires);
    return { token, expiresAt: new Date(expires) };
  }

  mintUserToken(account: Account, throughApp: boolean): string {
    const token = `${throughApp ? 'ghu' : 'ghp'}_${randomBytes(27).toString('hex').slice(0, 36)}`;
    this.#remember(token, { kind: 'user', account, throughApp }, Date.now() + 8 * HOUR);
    return token;
  }

  createCode(account: Account, redirectUri: string, challenge: string | undefined): string {
    const code = randomBytes(10).toString('hex');
    this.#codes.set(code, { account, redirectUri, challenge, expires: Date.now() + HOUR / 6 });
    return code;
  }

  redeemCode(body: Readonly<Record<string, string>>): { readonly account: Account } | { readonly error: string } {
    if (body['client_id'] !== this.app.clientId || !isSame(body['client_secret'] ?? '', this.app.clientSecret)) {
      return { error: 'incorrect_client_credentials' };
    }
    const key = body['code'] ?? '';
    const code = this.#codes.get(key);
    this.#codes.delete(key);
    if (code === undefined || code.expires < Date.now()) return { error: 'bad_verification_code' };
    if (body['redirect_uri'] !== undefined && body['redirect_uri'] !== code.redirectUri) {
      return { error: 'redirect_uri_mismatch' };
    }
    if (code.challenge !== undefined) {
      const given = createHash('sha256')
        .update(body['code_verifier'] ?? '')
        .digest('base64url');
      if (given !== code.challenge) return { error: 'bad_verification_code' };
    }
    return { account: code.account };
  }

  #remember(token: string, caller: Caller, expires: number): void {
    this.#tokens.set(digest(token), { caller, expires });
  }

  #verifyAppToken(token: string): Caller {
    const undecodable = 'A JSON web token could not be decoded';
    const [header = '', payload = '', signature = '', ...rest] = token.split('.');
    const signed = Buffer.from(`${header}.${payload}`);
    const claims = parseJson(payload);
    if (
      rest.length > 0 ||
      parseJson(header)?.['alg'] !== 'RS256' ||
      claims === undefined ||
      !verify('sha256', signed, this.#publicKey, Buffer.from(signature, 'base64url'))
    ) {
      throw new BadCredentials(undecodable);
    }
    const { iat, exp, iss } = claims;
    const now = Math.floor(Date.now() / 1000);
    // The client library recognizes these sentences and corrects its clock.
    if (!Number.isInteger(iat) || Number(iat) > now + 60) {
      throw new BadCredentials(
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
    }
    if (!Number.isInteger(exp) || Number(exp) <= now) {
      throw new BadCredentials(
        "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
      );
    }
    if (Number(exp) > now + 660) {
      throw new BadCredentials("'Expiration time' claim ('exp') is too far in the future");
    }
    if (String(iss) !== String(this.app.id) && iss !== this.app.clientId)
      throw new BadCredentials('Integration not found');
    return { kind: 'app' };
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
}

function parseJson(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
