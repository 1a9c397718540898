import { homepage } from '../../package.json';

export type Links = 'none' | 'url' | 'terminal';

export const HOMEPAGE: string = homepage;

/** False while the home page is a reserved name, which nobody can register; a release needs another. */
export const HAS_HOMEPAGE: boolean = !new URL(homepage).hostname.endsWith('.example');

export function ruleUrl(id: string): string {
  return `${homepage}/rules/${id}`;
}

export function combinationUrl(id: string): string {
  return `${homepage}/attack-paths/${id}`;
}

/** Wraps a text in an OSC 8 hyperlink. https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
export function hyperlink(text: string, url: string, links: Links | undefined): string {
  return links === 'terminal' ? `\u001B]8;;${url}\u001B\\${text}\u001B]8;;\u001B\\` : text;
}
