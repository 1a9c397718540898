import type { ShownFamily } from '#lib/services/pages/action-page.ts';
import { FAMILY_LABELS } from '../../messages.ts';

export function FamilyBars({ families }: { readonly families: readonly ShownFamily[] }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-2.5 text-sm">
      {families.map(({ id, pointsAfterCap: points, cap }) => (
        <div key={id} className="contents">
          <dt>
            <a href={`#${id}`} className="link">
              {FAMILY_LABELS[id].label}
            </a>
          </dt>
          <dd className="col-span-2 grid grid-cols-subgrid items-center">
            <Bar points={points} cap={cap} />
            <span className="text-end whitespace-nowrap tabular-nums">
              {points === 0 ? 'nothing' : `−${points}`} <span className="text-muted">of {cap}</span>
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Bar({ points, cap }: { readonly points: number; readonly cap: number }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none" className="h-2.5 w-full rounded-full">
      <rect width="100" height="10" className="fill-inset" />
      <rect width={(100 * points) / cap} height="10" className={colorOf(points / cap)} />
    </svg>
  );
}

function colorOf(share: number): string {
  if (share >= 0.75) return 'fill-critical';
  if (share >= 0.4) return 'fill-high-solid';
  return share >= 0.2 ? 'fill-medium-solid' : 'fill-low-solid';
}
