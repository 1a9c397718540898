import { plural } from '../../messages.ts';
import { Banner } from '../ui/banner.tsx';

interface Props {
  readonly report: {
    readonly findings: number;
    readonly workflow_files: number;
    readonly default_branch: string;
    readonly no_workflows?: true | undefined;
    readonly not_assessed: readonly unknown[];
  };
}

export function Verdict({ report }: Props) {
  const { workflow_files, default_branch, no_workflows, not_assessed } = report;
  if (default_branch === '')
    return (
      <Banner tone="neutral" title="The repository is empty">
        It has no commit, so there was nothing to check.
      </Banner>
    );
  if (no_workflows)
    return (
      <Banner tone="neutral" title="No workflows">
        There is no workflow file in <code>.github/workflows</code> of the default branch. Without one there is little
        that a scan could say.
      </Banner>
    );
  const files = plural(workflow_files, { one: 'in 1 workflow file', other: 'in # workflow files' });
  if (not_assessed.length === 0)
    return (
      <Banner tone="ok" title={`Nothing found ${files}`}>
        Every rule looked at every file and had nothing to report.
      </Banner>
    );
  return (
    <Banner tone="neutral" title={`Nothing found ${files} by the rules that ran`}>
      {plural(not_assessed.length, {
        one: '1 rule has no answer and is listed below: this is not an all-clear for what it looks for.',
        other: '# rules have no answer and are listed below: this is not an all-clear for what they look for.',
      })}
    </Banner>
  );
}
