import { route, userEndpoint } from '#lib/http/route/route.ts';
import { linkInstallation } from '#lib/http/schemas/scm.ts';
import { requireApp, requireDatabase } from '#lib/services/context.ts';
import { linkInstallation as link } from '#lib/services/repositories/link-installation.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(linkInstallation, {
    needs: (env) => {
      requireDatabase(env);
      requireApp(env);
    },
    handle: async (context, { query }) => {
      const request = { installationId: query.installation_id, orgId: query.org ?? null, code: query.code ?? null };
      const { id, account, accountType } = await link(context, context.user, request);
      return { body: { installation_id: Number(id), account, account_type: accountType } };
    },
  }),
]);
