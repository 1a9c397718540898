const KEY = 'chainbreak.installs';
const MOST = 20;
const SHAPE = /^[0-9a-f-]{36}$/;

/**
 * Returns the address at which the app is installed for an organization. The code host returns its `state`, which is
 * the key of the organization on this device.
 */
export function installLink(connectUrl: string, orgId: string): string {
  const choices = readChoices();
  const key = choices.find(([, org]) => org === orgId)?.[0] ?? crypto.randomUUID();
  const others = choices.filter(([, org]) => org !== orgId).slice(1 - MOST);
  localStorage.setItem(KEY, JSON.stringify([...others, [key, orgId]]));
  return `${connectUrl}?${new URLSearchParams({ state: key }).toString()}`;
}

export function orgOfState(state: string | null): string | null {
  return readChoices().find(([key]) => key === state)?.[1] ?? null;
}

function readChoices(): readonly (readonly [key: string, orgId: string])[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isChoice) : [];
  } catch {
    return [];
  }
}

function isChoice(value: unknown): value is readonly [string, string] {
  return (
    Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string' && SHAPE.test(part))
  );
}
