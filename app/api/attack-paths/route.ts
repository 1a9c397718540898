import { AppError } from '#lib/errors.ts';
import { ResponseCache } from '#lib/http/response-cache.ts';
import { type WrittenReply, writeReply } from '#lib/http/route/reply.ts';
import { route, userEndpoint } from '#lib/http/route/route.ts';
import { listAttackPaths } from '#lib/http/schemas/attack-paths.ts';
import { requireDatabase } from '#lib/services/context.ts';
import * as service from '#lib/services/paths/list.ts';

const replies = new ResponseCache();

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([
  userEndpoint(listAttackPaths, {
    needs: requireDatabase,
    handle: async (context, { query: { org, limit } }) => {
      const suffix = limit === undefined ? '' : `-${limit}`;
      const etagOf = (tag: string) => `"${tag}${suffix}"`;
      const ofClient = context.etags.tags
        .flatMap((etag) => /^"([0-9a-f]{64})/.exec(etag)?.[1] ?? [])
        .find((tag) => context.etags.has(etagOf(tag)));
      const held = new Map<string, WrittenReply>();
      const known = {
        likely: (orgId: string) => {
          const kept = replies.get(`${orgId}${suffix}`);
          if (kept !== undefined) held.set(kept.tag, kept.reply);
          return ofClient ?? kept?.tag;
        },
        has: (tag: string) => held.has(tag) || context.etags.has(etagOf(tag)),
      };
      const found = await service.listAttackPaths(context, context.user, { org, limit }, known);
      const etag = etagOf(found.tag);
      if (context.etags.has(etag)) return { unchanged: etag };
      if (found.paths !== null) {
        const reply = writeReply(listAttackPaths, found.paths);
        replies.set(`${found.orgId}${suffix}`, { tag: found.tag, reply });
        return { body: reply, etag };
      }
      const reply = held.get(found.tag);
      if (reply === undefined) throw new AppError('internal', 'The database omitted attack paths that are not cached.');
      return { body: reply, etag };
    },
  }),
]);
