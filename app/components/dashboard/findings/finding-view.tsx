'use client';

import Link from 'next/link';
import { visible } from '#lib/report/visible.ts';
import { CATEGORY_LABELS, CONFIDENCE_LABELS } from '../../../messages.ts';
import { CodeSnippet } from '../../domain/code-snippet.tsx';
import { CopyButton } from '../../domain/copy-button.tsx';
import { RuleLink } from '../../domain/rule-link.tsx';
import { RuleText } from '../../domain/rule-text.tsx';
import { SeverityChip } from '../../domain/severity-chip.tsx';
import { Time } from '../../domain/time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useOrg } from '../context.tsx';
import { EmptyState } from '../empty-state.tsx';
import { FixPreview } from '../fixes/fix-preview.tsx';
import { orgLink } from '../links.ts';
import { keyFinding, useRepositoryPaths } from '../paths/use-paths.ts';
import { Problem } from '../problem.tsx';
import { FileLink } from '../repositories/file-link.tsx';
import type { FindingKey } from './filters.ts';
import { FindingDecision } from './finding-decision.tsx';
import { FindingHistory } from './finding-history.tsx';
import { RuleIsOff } from './marks.tsx';
import { STATUS_TEXTS } from './status.ts';
import { type FindingDetail, useFinding } from './use-finding.ts';
import { useRulesOff } from './use-marks.ts';
import { useTriage } from './use-triage.ts';

export interface FindingViewProps extends FindingKey {
  readonly inDrawer: boolean;
}

export function FindingView({ inDrawer, ...key }: FindingViewProps) {
  const { data, error, refetch } = useFinding(key);
  if (error !== null) {
    return <Problem error={error} what="The finding could not be read" onRetry={() => void refetch()} />;
  }
  if (data === undefined) return <Skeleton lines={9} />;
  if (data === null) {
    return (
      <EmptyState title="This finding is not there, or not yours">
        It was never found in this organization, or belongs to another one.
      </EmptyState>
    );
  }
  return <Found key={key.fingerprint} detail={data} inDrawer={inDrawer} />;
}

function Found({ detail, inDrawer }: { readonly detail: FindingDetail; readonly inDrawer: boolean }) {
  const { entry, repository, commit, text } = detail;
  const isOff = useRulesOff([entry]);
  const triage = useTriage();
  const busy = triage.run?.kind === 'running';
  const place = entry.file === null ? null : `${entry.file}${entry.line === null ? '' : `:${entry.line}`}`;
  return (
    <article className="space-y-6 text-sm">
      <header>
        <div className="flex flex-wrap items-center gap-2">
          <SeverityChip severity={entry.severity} />
          <span className="rounded-full bg-inset px-2.5 py-0.5 text-xs font-semibold">
            {STATUS_TEXTS[entry.status].label}
          </span>
          {!entry.present && <span className="text-xs text-muted">{missing(entry.resolved_at)}</span>}
          {entry.present && isOff(entry) && <RuleIsOff />}
        </div>
        {inDrawer && <h2 className="mt-2 text-base font-semibold wrap-anywhere">{visible(entry.title)}</h2>}
        <p className="mt-1 wrap-anywhere text-muted">
          {visible(repository.full_name)}{' '}
          {entry.file === null ? (
            'repository setting'
          ) : (
            <FileLink repository={repository} commit={commit} file={entry.file} line={entry.line} />
          )}
          {repository.removed_at !== null && ' (the app no longer has access to this repository)'}
        </p>
        {entry.present && isOff(entry) && (
          <p className="mt-1 text-muted">The next scan will not look for it, and attack paths leave it out.</p>
        )}
      </header>
      <FindingDecision entry={entry} triage={triage} hasKeys={inDrawer} />
      {text !== null && (
        <>
          {text.snippet !== null && entry.line !== null && (
            <CodeSnippet
              code={text.snippet}
              numbered
              firstLine={entry.line}
              marked={linesFrom(entry.line, text.end_line)}
              label={visible(place ?? '')}
            />
          )}
          <p>
            <RuleText text={text.description} />
          </p>
          <section aria-labelledby="recommendation">
            <h2 id="recommendation" className="font-semibold">
              Recommendation
            </h2>
            <p className="mt-1">
              <RuleText text={text.recommendation} />
            </p>
          </section>
        </>
      )}
      {entry.file !== null && entry.present && repository.removed_at === null && (
        <FixPreview repoId={entry.repo_id} file={entry.file} ruleId={entry.rule_id} />
      )}
      <Paths repoId={entry.repo_id} fingerprint={entry.fingerprint} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-muted">Rule</dt>
        <dd>
          <RuleLink id={entry.rule_id} />
        </dd>
        <dt className="text-muted">Category</dt>
        <dd>{`${entry.category} ${CATEGORY_LABELS[entry.category] ?? ''}`}</dd>
        <dt className="text-muted">Confidence</dt>
        <dd>{CONFIDENCE_LABELS[entry.confidence].label}</dd>
        <dt className="text-muted">First seen</dt>
        <dd>
          <Time at={entry.first_seen_at} />
        </dd>
        <dt className="text-muted">Last seen</dt>
        <dd>
          <Time at={entry.last_seen_at} />
        </dd>
      </dl>
      <IgnoreComment ruleId={entry.rule_id} file={entry.file} />
      <FindingHistory entry={entry} busy={busy} onRevert={triage.revert} />
    </article>
  );
}

function linesFrom(line: number, endLine: number | null): readonly number[] {
  return Array.from({ length: Math.max(1, (endLine ?? line) - line + 1) }, (_, index) => index + 1);
}

function missing(resolvedAt: string | null): string {
  return resolvedAt === null
    ? 'Not looked for by the last scan: its rule is off or could not run'
    : 'Fixed: the last scan did not find it';
}

function Paths({ repoId, fingerprint }: FindingKey) {
  const org = useOrg();
  const { data } = useRepositoryPaths(repoId);
  const paths = data?.combos.filter(({ components }) =>
    components.some(({ finding }) => finding.fingerprint === fingerprint),
  );
  if (paths === undefined || paths.length === 0) return null;
  return (
    <section aria-labelledby="in-paths">
      <h2 id="in-paths" className="font-semibold">
        Part of these attack paths
      </h2>
      <ul className="mt-1 space-y-2">
        {paths.map((path) => (
          <li key={`${path.id} ${keyFinding(path)}`} className="flex flex-wrap items-center gap-x-2">
            <SeverityChip severity={path.severity} />
            <Link
              href={orgLink(org.id, `paths/${repoId}/${path.id}`, { f: fingerprint })}
              prefetch={false}
              className="link"
            >
              {path.title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function IgnoreComment({ ruleId, file }: { readonly ruleId: string; readonly file: string | null }) {
  const comment =
    file === null ? `ignore:\n  - rule: ${ruleId}\n    reason: …` : `# chainbreak: ignore[${ruleId}] reason`;
  return (
    <section aria-labelledby="ignore">
      <h2 id="ignore" className="font-semibold">
        Ignore it in the repository
      </h2>
      <p className="mt-1 text-muted">
        {file === null
          ? 'Add this to .github/chainbreak.yml:'
          : 'Add this comment at the end of the line, with your reason:'}
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <code className="min-w-0 rounded-control bg-inset px-2 py-1 wrap-anywhere whitespace-pre-wrap">{comment}</code>
        <CopyButton text={comment} label="Copy" />
      </div>
    </section>
  );
}
