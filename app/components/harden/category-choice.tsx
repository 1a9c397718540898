import { CATEGORY_LABELS } from '../../messages.ts';
import { Button } from '../ui/button.tsx';

interface Props {
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

const EFFECTS: Readonly<Record<string, string>> = {
  'CICD-SEC-1': 'Close gaps in conditions and approvals',
  'CICD-SEC-2': 'Replace identities that anyone can assume',
  'CICD-SEC-3': 'Pin actions and images',
  'CICD-SEC-4': 'Keep untrusted text out of scripts',
  'CICD-SEC-5': 'Give tokens the least privilege',
  'CICD-SEC-6': 'Keep credentials out of reach',
  'CICD-SEC-7': 'Set timeouts, runners and limits',
  'CICD-SEC-8': 'Restrict third-party services',
  'CICD-SEC-9': 'Protect artifacts and releases',
  'CICD-SEC-10': 'Keep logs complete',
};

export const CATEGORIES = Object.keys(CATEGORY_LABELS);

export function CategoryChoice({ chosen, onChange }: Props) {
  const toggle = (category: string) => {
    const next = new Set(chosen);
    if (!next.delete(category)) next.add(category);
    onChange(next);
  };
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-semibold">Fix these categories</legend>
      <div className="grid gap-x-6 sm:grid-cols-2">
        {CATEGORIES.map((category) => (
          <label key={category} className="flex min-h-8 items-start gap-2 py-1 text-sm">
            <input
              type="checkbox"
              checked={chosen.has(category)}
              onChange={() => toggle(category)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            <span>
              <span className="font-mono text-xs whitespace-nowrap">{category}</span>{' '}
              {EFFECTS[category] ?? CATEGORY_LABELS[category]}
            </span>
          </label>
        ))}
      </div>
      <div className="mt-2 flex gap-2">
        <Button onClick={() => onChange(new Set(CATEGORIES))}>Select all</Button>
        <Button onClick={() => onChange(new Set())}>Select none</Button>
      </div>
    </fieldset>
  );
}
