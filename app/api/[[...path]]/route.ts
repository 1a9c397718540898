import { nothingHere } from '#lib/http/route/route.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = nothingHere();
