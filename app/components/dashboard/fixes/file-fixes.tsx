import type { ReactNode } from 'react';
import { visible } from '#lib/report/visible.ts';
import type { FixPreview } from '#lib/services/fixes/preview.ts';
import { plural } from '../../../numbers.ts';
import { fixesElsewhere, PatchTable } from '../../domain/diff-table.tsx';
import { adviceOf, isForReview } from '../../domain/refusal.ts';
import { RuleLink } from '../../domain/rule-link.tsx';
import { RuleText } from '../../domain/rule-text.tsx';

interface Props {
  readonly file: FixPreview['files'][number];
  readonly forReview: ReactNode;
}

export function FileFixes({ file: { file, changed, diff, fixes, refused }, forReview }: Props) {
  const name = visible(file);
  const elsewhere = fixesElsewhere(diff, fixes);
  const leftOut = refused.filter(isForReview);
  const byHand = refused.filter((each) => !isForReview(each));
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
        title={plural(leftOut.length, {
          one: '1 fix is left out, since it can change what a run does',
          other: '# fixes are left out, since they can change what a run does',
        })}
        notes={leftOut.map((each) => ({ ...each, text: adviceOf(each) }))}
      >
        {forReview}
      </Notes>
      <Notes
        title={plural(byHand.length, { one: '1 finding without a safe fix', other: '# findings without a safe fix' })}
        notes={byHand.map(({ reason, ...rest }) => ({ ...rest, text: reason }))}
      />
    </div>
  );
}

interface NotesProps {
  readonly title: string;
  readonly notes: readonly { readonly rule_id: string; readonly line: number; readonly text: string }[];
  readonly children?: ReactNode;
}

function Notes({ title, notes, children }: NotesProps) {
  if (notes.length === 0) return null;
  return (
    <div className="mt-3 text-sm">
      <p className="font-semibold">{title}</p>
      {children !== undefined && <p className="mt-1 text-muted">{children}</p>}
      <ul className="mt-1 space-y-1">
        {notes.map(({ rule_id: rule, line, text }, index) => (
          <li key={index} className="wrap-anywhere">
            <span className="text-muted tabular-nums">{`Line ${line}: `}</span>
            <RuleLink id={rule} /> <RuleText text={text} />
          </li>
        ))}
      </ul>
    </div>
  );
}
