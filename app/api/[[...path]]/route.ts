import { nothingHere } from '#lib/http/route/route.ts';

/** What no other route answers. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nothingHere();
