import { generateKeyPairSync, randomBytes } from 'node:crypto';

export type BenchApp = ReturnType<typeof makeBenchApp>;

export function makeBenchApp() {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return {
    id: 4711,
    slug: 'bench',
    privateKey,
    clientId: 'Iv1.bench',
    clientSecret: randomBytes(20).toString('hex'),
    webhookSecret: randomBytes(20).toString('hex'),
  };
}

export function appVariables(app: BenchApp): Record<string, string> {
  return {
    SCM_APP_ID: String(app.id),
    SCM_APP_SLUG: app.slug,
    SCM_APP_PRIVATE_KEY: app.privateKey,
    SCM_CLIENT_ID: app.clientId,
    SCM_CLIENT_SECRET: app.clientSecret,
    SCM_WEBHOOK_SECRET: app.webhookSecret,
  };
}
