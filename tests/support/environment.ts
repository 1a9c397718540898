import { resetEnv } from '#lib/env.ts';
import { PEER_MARK } from '#lib/http/limits/client-address.ts';

const before = new Map<string, string | undefined>();

export function configure(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of before) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
  before.clear();
  for (const [name, value] of Object.entries(variables)) {
    before.set(name, process.env[name]);
    process.env[name] = value;
  }
  Reflect.deleteProperty(globalThis, PEER_MARK);
  resetEnv();
}
