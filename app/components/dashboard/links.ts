export const SECTIONS = [
  { path: '', label: 'Overview' },
  { path: 'paths', label: 'Attack paths' },
  { path: 'findings', label: 'Findings' },
  { path: 'repositories', label: 'Repositories' },
  { path: 'rules', label: 'Rules' },
  { path: 'actions', label: 'Actions' },
  { path: 'campaigns', label: 'Campaigns' },
  { path: 'activity', label: 'Activity' },
  { path: 'settings', label: 'Settings' },
] as const;

type Query = Readonly<Record<string, string | number | null | undefined>>;

export function orgLink(org: string, path = '', query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const search = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return `/o/${org}${path === '' ? '' : `/${path}`}${search === '' ? '' : `?${search}`}`;
}

export function sectionOf(pathname: string): string {
  const section = pathname.split('/')[3] ?? '';
  return SECTIONS.some(({ path }) => path === section) ? section : '';
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
