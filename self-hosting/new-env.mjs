import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';

const YEARS = 10;

const [host = ''] = process.argv.slice(2);
if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(host)) {
  process.stderr.write('Name the public host: node self-hosting/new-env.mjs chainbreak.example.com\n');
  process.exit(2);
}
const jwtSecret = newSecret();

function keyOf(role) {
  return new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('chainbreak')
    .setIssuedAt()
    .setExpirationTime(`${YEARS}y`)
    .sign(new TextEncoder().encode(jwtSecret));
}

function newSecret() {
  return randomBytes(32).toString('hex');
}

process.stdout.write(`PUBLIC_HOST=${host}
WEB_URL=https://${host}
POSTGRES_PASSWORD=${newSecret()}

SUPABASE_URL=https://${host}
SUPABASE_JWT_SECRET=${jwtSecret}
# Tokens signed with the secret above, valid for ${YEARS} years.
SUPABASE_PUBLISHABLE_KEY=${await keyOf('anon')}
SUPABASE_SECRET_KEY=${await keyOf('service_role')}

UPSTASH_REDIS_REST_TOKEN=${newSecret()}
CRON_SECRET=${newSecret()}
SCM_WEBHOOK_SECRET=${newSecret()}

# From the page of your GitHub App.
SCM_APP_ID=
SCM_APP_SLUG=
SCM_CLIENT_ID=
SCM_CLIENT_SECRET=
# PEM on one line, line breaks written \\n.
SCM_APP_PRIVATE_KEY=
# Reads public repositories for visitors; give it no other right.
SCM_PUBLIC_TOKEN=
`);
