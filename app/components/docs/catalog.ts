import api from '../../../docs/api.md';
import ci from '../../../docs/ci.md';
import configuration from '../../../docs/configuration.md';
import deploy from '../../../docs/deploy.md';
import editors from '../../../docs/editors.md';
import fixes from '../../../docs/fixes.md';
import install from '../../../docs/install.md';
import migrate from '../../../docs/migrate.md';
import notifications from '../../../docs/notifications.md';
import operate from '../../../docs/operate.md';
import peers from '../../../docs/peers.md';
import precision from '../../../docs/precision.md';
import pullRequests from '../../../docs/pull-requests.md';
import quickStart from '../../../docs/quick-start.md';

type Rendered = typeof api;

export interface DocPage extends Rendered {
  readonly slug: string;
}

export interface DocGroup {
  readonly name: string;
  readonly pages: readonly DocPage[];
  readonly links?: readonly { readonly href: string; readonly label: string }[];
}

export const DOC_GROUPS: readonly DocGroup[] = [
  {
    name: 'Start',
    pages: [
      { slug: 'install', ...install },
      { slug: 'quick-start', ...quickStart },
      { slug: 'ci', ...ci },
      { slug: 'pull-requests', ...pullRequests },
      { slug: 'editors', ...editors },
      { slug: 'configuration', ...configuration },
      { slug: 'migrate', ...migrate },
    ],
  },
  {
    name: 'What it finds',
    pages: [{ slug: 'fixes', ...fixes }],
    links: [
      { href: '/rules', label: 'Rules' },
      { href: '/attack-paths', label: 'Attack paths' },
      { href: '/actions/methodology', label: 'How actions are scored' },
    ],
  },
  {
    name: 'Service and API',
    pages: [
      { slug: 'deploy', ...deploy },
      { slug: 'operate', ...operate },
      { slug: 'using-the-api', ...api },
      { slug: 'notifications', ...notifications },
    ],
    links: [
      { href: '/docs/api', label: 'API reference' },
      { href: '/problems', label: 'Problems' },
    ],
  },
  {
    name: 'How it is measured',
    pages: [
      { slug: 'precision', ...precision },
      { slug: 'peers', ...peers },
    ],
  },
];

export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);
