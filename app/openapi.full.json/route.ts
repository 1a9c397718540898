import { documentEndpoint } from '#lib/http/openapi/document.ts';
import { route } from '#lib/http/route/route.ts';
import { getFullDocument } from '#lib/http/schemas/documents.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([documentEndpoint(getFullDocument, 'full')]);
