import type { Landing } from '#lib/services/pages/landing.ts';
import { ExternalLink } from '../ui/external-link.tsx';
import { Section } from '../ui/frame.tsx';

export function Incidents({ cards, rules }: Pick<Landing, 'cards' | 'rules'>) {
  return (
    <Section id="checks" title="What we look for">
      <ul className="grid gap-4 sm:grid-cols-2">
        {cards.map(({ what, reference, combination }) => {
          const [name, rest] = splitOnce(what);
          return (
            <li key={reference} className="flex flex-col rounded-panel border border-line p-5">
              <h3 className="font-semibold">
                <a href={`/attack-paths/${combination.id}`} className="link text-fg">
                  {combination.title}
                </a>
              </h3>
              <p className="mt-2 text-sm">
                <strong className="font-semibold">{name}:</strong> {rest}{' '}
                <ExternalLink href={reference}>{new URL(reference).hostname}</ExternalLink>
              </p>
            </li>
          );
        })}
      </ul>
      <p className="mt-4 text-sm">
        <a href="/rules" className="link">{`All ${rules} rules`}</a>
        {', '}
        <a href="/attack-paths" className="link">
          all attack paths
        </a>
        {', and '}
        <a href="/actions" className="link">
          risk scores of actions
        </a>
        .
      </p>
    </Section>
  );
}

function splitOnce(what: string): [string, string] {
  const at = what.indexOf(': ');
  const rest = what.slice(at + 2);
  return [what.slice(0, at), `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`];
}
