import { DEMO } from './demo.ts';

const DEFAULT_FOLDER = '.chainbreak';

interface Surroundings {
  readonly demo: boolean;
  readonly folder: string;
}

export function welcome(variables: Readonly<Record<string, string>>, { demo, folder }: Surroundings): string {
  const web = variables['WEB_URL'] || `http://127.0.0.1:${variables['PORT'] || 3000}`;
  const [user] = DEMO.users;
  const reset = folder === DEFAULT_FOLDER ? 'npm run reset' : `npm run reset -- --data ${folder}`;
  if (!demo) return `\nChainbreak is running at ${web}. Ctrl-C stops it.\n`;
  return `
Chainbreak is running.

  Web app     ${web}
  Code host   ${variables['SCM_WEB_URL']}  (on this machine, with repositories of acme and globex)
  Database    ${variables['SUPABASE_URL']}
  Users       ${DEMO.users.map(({ email, organization }) => `${email} (administers ${organization})`).join(', ')}

Try:
  Open ${web} and scan acme/storefront, or acme/clean, which has nothing to report.
  Open ${web}/signin, continue as ${user?.login}, install the app on ${user?.organization} and scan all repositories: attack paths, findings, and pull requests that fix them.
  curl -s ${web}/api/public-scan -H 'content-type: application/json' -d '{"repo":"acme/storefront"}'
  curl -s ${web}/api/public-stats

Keys, secrets and the ids of the users are in ${folder}/env, logs in ${folder}/logs.
Ctrl-C stops everything. Data stays; ${reset} clears it.
`;
}
