import { createHmac } from 'node:crypto';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signToken(jwtSecret: string, sub: string, claims: Readonly<Record<string, unknown>> = {}): string {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const payload = { sub, role: 'authenticated', aud: 'authenticated', exp, ...claims };
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(payload)}`;
  return `${content}.${createHmac('sha256', jwtSecret).update(content).digest('base64url')}`;
}
