import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { AppError } from '#lib/errors.ts';
import { isStorable } from './body.ts';

export interface User {
  readonly id: string;
  readonly email: string | null;
  readonly accessToken: string;
}

const Claims = z.object({
  sub: z.guid(),
  exp: z.number(),
  aud: z
    .union([z.literal('authenticated'), z.array(z.string()).refine((all) => all.includes('authenticated'))])
    .optional(),
  role: z.literal('authenticated').optional(),
  is_anonymous: z.literal(false).optional(),
  email: z.string().max(320).refine(isStorable).nullish(),
});

const REFUSED = 'The request needs a valid access token.';

/** Every failure is the same `unauthenticated`. */
export async function authenticate(headers: Headers, jwtSecrets: readonly string[]): Promise<User> {
  const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (token === undefined) throw new AppError('unauthenticated', REFUSED);
  for (const secret of jwtSecrets) {
    try {
      const key = new TextEncoder().encode(secret);
      const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], requiredClaims: ['exp', 'sub'] });
      const { sub, email } = Claims.parse(payload);
      return { id: sub.toLowerCase(), email: email || null, accessToken: token };
    } catch (error) {
      if (error instanceof errors.JWSSignatureVerificationFailed) continue;
      if (error instanceof errors.JOSEError || error instanceof z.ZodError) break;
      throw error;
    }
  }
  throw new AppError('unauthenticated', REFUSED);
}

export function bothOf(current: string, previous: string | null): readonly string[] {
  return previous === null ? [current] : [current, previous];
}
