import { nothingHere } from '#lib/http/route/route.ts';

/** Answers paths that no other route matches. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nothingHere();
