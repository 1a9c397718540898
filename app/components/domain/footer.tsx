import { headers } from 'next/headers';
import { pageContext } from '#lib/http/page-context.ts';
import { version } from '../../../package.json';
import { SITE } from '../../site.ts';

const GROUPS = [
  {
    name: 'Product',
    links: [
      { href: '/', label: 'Scan a repository' },
      { href: '/harden', label: 'Harden a workflow' },
      { href: '/actions', label: 'Action scores' },
      { href: '/o', label: 'Dashboard' },
    ],
  },
  {
    name: 'Reference',
    links: [
      { href: '/rules', label: 'Rules' },
      { href: '/attack-paths', label: 'Attack paths' },
      { href: '/docs/api', label: 'API reference' },
      { href: '/problems', label: 'Problems' },
    ],
  },
  {
    name: 'Documentation',
    links: [
      { href: '/docs', label: 'All pages' },
      { href: '/docs/install', label: 'Install' },
      { href: '/docs/ci', label: 'Use it in CI' },
      { href: '/docs/precision', label: 'How it is measured' },
    ],
  },
] as const;

export async function Footer() {
  const { env } = pageContext(await headers());
  const about = [
    { href: '/#privacy', label: 'Privacy' },
    { href: 'https://www.apache.org/licenses/LICENSE-2.0', label: 'Apache-2.0 licence' },
    ...(env.sourceUrl === null ? [] : [{ href: env.sourceUrl, label: 'Source code' }]),
  ];
  return (
    <footer className="mt-16 border-t border-line bg-subtle print:hidden">
      <nav
        aria-label="All parts of the site"
        className="mx-auto grid max-w-5xl grid-cols-2 gap-8 px-4 py-10 text-sm sm:grid-cols-4 sm:px-6"
      >
        {GROUPS.map(({ name, links }) => (
          <Group key={name} name={name} links={links} />
        ))}
        <Group name={`${SITE.name} ${version}`} links={about} />
      </nav>
    </footer>
  );
}

function Group({
  name,
  links,
}: {
  readonly name: string;
  readonly links: readonly { readonly href: string; readonly label: string }[];
}) {
  return (
    <div>
      <p className="mb-2 font-semibold">{name}</p>
      <ul>
        {links.map(({ href, label }) => (
          <li key={href}>
            <a
              href={href}
              {...(href.startsWith('http') && { rel: 'noopener noreferrer' })}
              className="inline-block py-1 text-muted no-underline hover:text-fg hover:underline"
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
