'use client';

import Link from 'next/link';
import { plural } from '../../../numbers.ts';
import { CopyButton } from '../../domain/copy-button.tsx';
import { RuleLink } from '../../domain/rule-link.tsx';
import { Disclosure } from '../../ui/disclosure.tsx';
import { useOrg } from '../context.tsx';
import { orgLink } from '../links.ts';
import { Problem } from '../problem.tsx';
import { REASON_LABELS } from '../reasons.ts';
import { useAllRows } from '../use-all-rows.ts';
import type { RepositoryRow } from './use-repositories.ts';

export function OwnRules({ row: { id: repoId, full_name: name } }: { readonly row: RepositoryRow }) {
  const org = useOrg();
  const { data, error } = useAllRows(['rules', 'of-repository', repoId], (db, orgId) =>
    db.from('rule_overrides').select('rule_id, enabled').eq('org_id', orgId).eq('repo_id', repoId).order('rule_id'),
  );
  if (error !== null) return <Problem error={error} what="The rules of the repository could not be read" />;
  if (data === undefined || data.length === 0) return null;
  return (
    <Disclosure
      title={plural(data.length, {
        one: '1 rule is set for this repository',
        other: '# rules are set for this repository',
      })}
      className="mb-8"
    >
      <RuleLines lines={data.map(({ rule_id: rule, enabled }) => ({ rule, text: enabled ? 'on' : 'off' }))} />
      <Link
        href={orgLink(org.id, 'rules', { tab: 'repositories', repo: name })}
        prefetch={false}
        className="link mt-2 inline-block py-1 text-sm"
      >
        Change them
      </Link>
    </Disclosure>
  );
}

export function NotAssessed({ row: { not_assessed: rules } }: { readonly row: RepositoryRow }) {
  if (rules === null || rules.length === 0) return null;
  return (
    <Disclosure
      title={plural(rules.length, {
        one: '1 rule was not assessed in the last scan',
        other: '# rules were not assessed in the last scan',
      })}
    >
      <RuleLines lines={rules.map(({ rule_id: rule, reason }) => ({ rule, text: REASON_LABELS[reason] }))} />
    </Disclosure>
  );
}

function RuleLines({ lines }: { readonly lines: readonly { readonly rule: string; readonly text: string }[] }) {
  return (
    <ul className="space-y-1 text-sm">
      {lines.map(({ rule, text }) => (
        <li key={`${rule} ${text}`}>
          <RuleLink id={rule} />: {text}
        </li>
      ))}
    </ul>
  );
}

export function BadgeText({ row: { full_name: name } }: { readonly row: RepositoryRow }) {
  const { origin } = location;
  const markdown = `[![chainbreak](${origin}/api/badge/${name}.svg)](${origin}/r/${name})`;
  return (
    <Disclosure title="Badge for the README" className="mt-4">
      <p className="mb-2 max-w-[70ch] text-sm text-muted">
        It shows the latest public report of this repository and links to it. Anyone can create one on the{' '}
        <a className="link" href="/">
          start page
        </a>
        .
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 rounded-control bg-inset px-2 py-1 text-xs break-all">{markdown}</code>
        <CopyButton text={markdown} label="Copy" of="the badge as Markdown" />
      </div>
    </Disclosure>
  );
}
