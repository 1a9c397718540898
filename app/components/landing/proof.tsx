import type { Landing } from '#lib/services/pages/landing.ts';

const PRECISION = { repositories: 220, high: 112, right: 90 };

export function Proof({ landing: { rules, attackPaths, incidents } }: { readonly landing: Landing }) {
  const facts = [
    { value: rules, label: 'rules', href: '/rules' },
    { value: attackPaths, label: 'kinds of attack path', href: '/attack-paths' },
    { value: incidents, label: 'real attacks recognised in tests', href: '/attack-paths' },
    {
      value: `${PRECISION.right} of ${PRECISION.high}`,
      label: `HIGH findings true, on ${PRECISION.repositories} repositories never scanned before`,
      href: '/docs/precision',
    },
  ];
  return (
    <dl className="mt-8 grid grid-cols-2 gap-x-8 gap-y-5 sm:grid-cols-4">
      {facts.map(({ value, label, href }) => (
        <div key={label} className="flex flex-col-reverse justify-end">
          <dt className="text-sm text-muted">
            <a href={href} className="text-muted underline decoration-1 underline-offset-3 hover:text-fg">
              {label}
            </a>
          </dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
