import { KeptReplies } from '#lib/http/response-cache.ts';
import { writeReply } from '#lib/http/route/reply.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listAttackPaths } from '#lib/http/schemas/attack-paths.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/paths/list.ts';

const replies = new KeptReplies();

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listAttackPaths, {
    needs: requireDatabase,
    handle: async (context, { query }) => {
      const keptOf = (orgId: string) => replies.get(orgId);
      const found = await service.listAttackPaths(context, context.user, query.org, keptOf);
      if (found.kept !== undefined) return { body: found.kept.reply };
      const reply = writeReply(listAttackPaths, found.paths);
      replies.set(found.orgId, { tag: found.tag, reply });
      return { body: reply };
    },
  }),
]);
