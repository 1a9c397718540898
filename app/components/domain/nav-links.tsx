import { clsx } from 'clsx';

interface Props {
  readonly path: string;
  readonly links: readonly { readonly href: string; readonly label: string }[];
}

export function NavLinks({ path, links }: Props) {
  return (
    <ul className="flex">
      {links.map(({ href, label }) => {
        const here = path === href || path.startsWith(`${href}/`);
        return (
          <li key={href}>
            <a
              href={href}
              aria-current={path === href ? 'page' : here ? 'true' : undefined}
              className={clsx(
                'inline-block px-2 py-2 text-sm whitespace-nowrap max-[22rem]:px-1 max-[22rem]:text-xs text-fg no-underline hover:underline sm:px-2.5',
                here && 'font-semibold shadow-[inset_0_-2px_0_var(--color-accent)]',
              )}
            >
              {label}
            </a>
          </li>
        );
      })}
    </ul>
  );
}
