import { visible } from '#lib/report/visible.ts';
import type { FixPreview } from '#lib/services/fixes/preview.ts';
import { plural } from '../../../numbers.ts';
import { fixesElsewhere, PatchTable } from '../../domain/diff-table.tsx';
import { RuleLink } from '../../domain/rule-link.tsx';
import { RuleText } from '../../domain/rule-text.tsx';

export function FileFixes({
  file: { file, changed, diff, fixes, refused },
}: {
  readonly file: FixPreview['files'][number];
}) {
  const name = visible(file);
  const elsewhere = fixesElsewhere(diff, fixes);
  return (
    <div className="min-w-0">
      {changed ? (
        <PatchTable label={name} diff={diff} fixes={fixes} />
      ) : (
        <p className="font-mono text-xs wrap-anywhere text-muted">{`${name}: unchanged`}</p>
      )}
      <Notes
        title={plural(elsewhere.length, { one: '1 more fix', other: '# more fixes' })}
        notes={elsewhere.map(({ description, ...rest }) => ({ ...rest, text: description }))}
      />
      <Notes
        title={plural(refused.length, { one: '1 without a safe fix', other: '# without a safe fix' })}
        notes={refused.map(({ reason, ...rest }) => ({ ...rest, text: reason }))}
      />
    </div>
  );
}

interface NotesProps {
  readonly title: string;
  readonly notes: readonly { readonly rule_id: string; readonly line: number; readonly text: string }[];
}

function Notes({ title, notes }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <div className="mt-3 text-sm">
      <p className="font-semibold">{title}</p>
      <ul className="mt-1 space-y-1">
        {notes.map(({ rule_id: rule, line, text }, index) => (
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="wrap-anywhere">
            <span className="text-muted tabular-nums">{`Line ${line}: `}</span>
            <RuleLink id={rule} /> <RuleText text={text} />
          </li>
        ))}
      </ul>
    </div>
  );
}
