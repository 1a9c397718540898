import type { Landing } from '#lib/services/pages/landing.ts';
import { ChainDrawing } from '../combination/chain.tsx';
import { ExternalLink } from '../ui/external-link.tsx';
import { Section } from '../ui/frame.tsx';

export function RealChain({ chain }: { readonly chain: NonNullable<Landing['chain']> }) {
  return (
    <Section id="chain" title="A real attack path, and where it breaks">
      <p className="mb-5">
        {chain.what} This is how Chainbreak draws it. <ExternalLink href={chain.reference}>The advisory</ExternalLink>
      </p>
      <ChainDrawing {...chain.page} />
      <p className="mt-4 text-sm">
        <a href={`/attack-paths/${chain.combination.id}`} className="link">
          This attack path in detail, with its fix
        </a>
      </p>
    </Section>
  );
}
