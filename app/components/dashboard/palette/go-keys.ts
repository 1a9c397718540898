import { SECTIONS } from '../links.ts';

const LETTERS: Readonly<Record<string, string>> = {
  '': 'o',
  paths: 'p',
  findings: 'f',
  repositories: 'r',
  rules: 'u',
  actions: 'a',
  campaigns: 'c',
  activity: 'y',
  settings: 's',
};

export const SEARCHED = 'Page, repository, rule or organization';

export const GO_KEYS = SECTIONS.flatMap(({ path, label }) => {
  const letter = LETTERS[path];
  return letter === undefined ? [] : [{ path, label, letter }];
});
