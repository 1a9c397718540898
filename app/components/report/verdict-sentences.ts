import type { SharedReport } from '#lib/services/public-scans/shared-report.ts';
import { plural } from '../../numbers.ts';

interface Wording {
  readonly tone: 'bad' | 'fair' | 'good' | 'none';
  readonly title: string;
  readonly sentences: readonly string[];
}

type Judged = Pick<SharedReport, 'report' | 'outlook'>;

export function verdictOf({ report, outlook }: Judged): Wording {
  const { findings, counts, workflow_files, default_branch, no_workflows } = report;
  const files = plural(workflow_files, { one: '1 workflow file', other: '# workflow files' });
  if (findings === 0) {
    if (default_branch === '')
      return {
        tone: 'none',
        title: 'The repository is empty',
        sentences: ['It has no commits. Scan it again once it has a workflow.'],
      };
    if (no_workflows)
      return {
        tone: 'none',
        title: 'No workflows',
        sentences: ['The default branch has no files in .github/workflows. Scan it again once it has one.'],
      };
    return { tone: 'good', title: `No findings in ${files}`, sentences: [passed({ report, outlook })] };
  }
  const where = `${plural(findings, { one: '1 finding', other: '# findings' })} in ${files}.`;
  if (outlook === undefined)
    return { tone: counts.HIGH > 0 ? 'bad' : 'fair', title: where.slice(0, -1), sentences: [] };
  const { paths, fixes } = outlook;
  if (paths.length === 0)
    return {
      tone: counts.HIGH > 0 ? 'bad' : 'fair',
      title:
        counts.HIGH > 0
          ? plural(counts.HIGH, {
              one: 'No complete attack path, but 1 serious weakness',
              other: 'No complete attack path, but # serious weaknesses',
            })
          : 'No attack path found',
      sentences: [where],
    };
  const total = sum(paths);
  const critical = sum(paths.filter(({ severity }) => severity === 'CRITICAL'));
  const ways = plural(total, { one: '1 attack path', other: '# attack paths' });
  return {
    tone: paths.some(({ severity }) => severity !== 'MEDIUM') ? 'bad' : 'fair',
    title:
      critical > 0
        ? 'An outsider can take over what this repository’s workflows hold'
        : 'Weaknesses here combine into an attack',
    sentences: [
      `${ways}${critical > 0 && critical < total ? `, ${critical} of them critical` : ''}. ${ending(total, fixes)}`.trim(),
      where,
    ],
  };
}

function ending(total: number, fixes: number | null): string {
  if (fixes === null || fixes === 0) return '';
  return plural(fixes, {
    one:
      total === 1
        ? 'Fixing 1 finding breaks it.'
        : total === 2
          ? 'Fixing 1 finding breaks both.'
          : 'Fixing 1 finding breaks them all.',
    other: `Fixing # findings breaks ${total === 1 ? 'it' : 'them all'}.`,
  });
}

function passed({ report: { not_assessed }, outlook }: Judged): string {
  const run = outlook?.checks.reduce((all, check) => all + check.run, 0);
  const did =
    run === undefined
      ? 'Every check that ran passed.'
      : plural(run, { one: 'The check that ran passed.', other: 'All # checks that ran passed.' });
  if (not_assessed.length === 0) return did;
  return `${did} ${plural(not_assessed.length, {
    one: '1 more needs access that an anonymous scan does not have.',
    other: '# more need access that an anonymous scan does not have.',
  })}`;
}

function sum(paths: readonly { readonly count: number }[]): number {
  return paths.reduce((total, { count }) => total + count, 0);
}
