import { env } from '#lib/env.ts';
import { log } from '#lib/log.ts';
import { createServices, type Services } from '#lib/services/context.ts';
import { NONCE_HEADER, PATH_HEADER } from './nonce.ts';
import { requestIdOf } from './route/request-id.ts';

export interface PageContext extends Services {
  readonly requestId: string;
  readonly nonce: string;
  readonly path: string;
}

export function pageContext(headers: Headers): PageContext {
  const requestId = requestIdOf(headers);
  const services = createServices(env(), log.with({ request_id: requestId }));
  return { ...services, requestId, nonce: headers.get(NONCE_HEADER) ?? '', path: headers.get(PATH_HEADER) ?? '' };
}
