const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['/api/badge/{owner}/{repo}.svg', '/api/badge/{owner}/{repo}'],
  ['/api/findings/status:batch', '/api/findings/status/batch'],
  ['/api/rule-overrides:batch', '/api/rule-overrides/batch'],
]);

export function routeFileOf(path: string): string {
  return `app${(ELSEWHERE.get(path) ?? path).replace(/\{(\w+)\}/g, '[$1]')}/route.ts`;
}
