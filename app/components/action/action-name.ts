const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const NAME = /^[A-Za-z0-9._-]{1,100}$/;

export function isActionName(owner: string, name: string): boolean {
  return OWNER.test(owner) && NAME.test(name) && !/^\.{1,2}$/.test(name);
}
