import { documentEndpoint } from '../../lib/http/openapi.ts';
import { route } from '../../lib/http/route.ts';
import { getPublicDocument } from '../../lib/http/schemas/documents.ts';

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route([documentEndpoint(getPublicDocument, 'public')]);
