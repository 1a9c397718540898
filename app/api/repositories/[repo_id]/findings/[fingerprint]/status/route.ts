import { route, userEndpoint } from '#lib/http/route/route.ts';
import { triageFinding } from '#lib/http/schemas/repositories.ts';
import { requireDatabase } from '#lib/services/context.ts';
import { triageFinding as triage } from '#lib/services/triage/set.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(triageFinding, {
    needs: requireDatabase,
    handle: async (context, { params, body: { status, reason, expires_at: expiresAt } }) => {
      const { repo_id: repoId, fingerprint } = params;
      const request = { repoId, fingerprint, status, reason: reason ?? null, expiresAt };
      return { body: await triage(context, context.user.id, request) };
    },
  }),
]);
