import type { Env } from '#lib/env.ts';
import { enterpriseServer, GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';

/** Where the workflows run that the service reads. */
export function platformOf({ scm: { hostVersion } }: Pick<Env, 'scm'>): Platform {
  return (hostVersion === null ? undefined : enterpriseServer(hostVersion)) ?? GITHUB_COM;
}
