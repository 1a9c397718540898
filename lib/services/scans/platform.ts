import type { Env } from '#lib/env.ts';
import { enterpriseServer, GITHUB_COM, type Platform } from '#lib/workflow/model/platform.ts';

export function platformOf({ scm: { hostVersion } }: Pick<Env, 'scm'>): Platform {
  return (hostVersion === null ? undefined : enterpriseServer(hostVersion)) ?? GITHUB_COM;
}
