import type { Expression } from '#lib/workflow/expressions/expression.ts';
import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import type { Step, Text } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';

const CODE_INPUTS: Readonly<Record<string, readonly string[]>> = {
  '8398a7/action-slack': ['custom_payload'],
  'actions/github-script': ['script'],
  'addnab/docker-run-action': ['run', 'options'],
  'amadevus/pwsh-script': ['script'],
  'appleboy/ssh-action': ['script'],
  'azure/cli': ['inlinescript'],
  'azure/powershell': ['inlinescript'],
  'cardinalby/js-eval-action': ['expression'],
  'devorbitus/yq-action-output': ['cmd'],
  'fifsky/ssh-action': ['command'],
  'gautamkrishnar/blog-post-workflow': ['item_exec'],
  'imjohnbo/issue-bot': ['body', 'linked-comments-previous-issue-text', 'linked-comments-new-issue-text'],
  'jannekem/run-python-script-action': ['script'],
  'jsmrcaga/action-netlify-deploy': ['install_command', 'build_command'],
  'lucasbento/auto-close-issues': ['issue-close-message'],
  'mikefarah/yq': ['cmd'],
  'nick-fields/retry': ['command'],
  'nick-invision/retry': ['command'],
  'oliveirafelipe/js-eval-action': ['expression'],
  'roots/issue-closer-action': ['issue-close-message', 'pr-close-message'],
  'sergeysova/jq-action': ['cmd'],
  'skitionek/notify-microsoft-teams': ['overwrite'],
  'tibdex/backport': ['body_template', 'head_template', 'labels_template', 'title_template'],
  'wagoid/ssh-action': ['script'],
};

export interface ScriptSink {
  readonly text: Text;
  readonly sink: string;
}

export function* scriptSinksOf(step: Step): Generator<ScriptSink> {
  if (step.run !== undefined) yield { text: step.run, sink: 'a script' };
  const action = actionOf(step);
  if (action === undefined) return;
  for (const name of CODE_INPUTS[action.slug] ?? []) {
    const text = inputOf(step, name);
    if (text !== undefined) yield { text, sink: `the input ${name} of ${action.owner}/${action.repo}` };
  }
}

const READERS: ReadonlySet<string> = new Set(['cat', 'read', 'mapfile', 'readarray']);

/**
 * True if an expression is in a quoted here-document that becomes a variable's or the log's text, which only a line
 * break could end. Here-documents written to a file or passed to another program can still become code.
 */
export function isLiteralText({ span }: Expression, step: Step): boolean {
  if (step.run?.value.includes('<<') !== true) return false;
  return commandsOf(step).some(
    ({ redirects, pipeline, within }) =>
      redirects.some(
        ({ body, quoted }) =>
          quoted && body !== undefined && body.span.start <= span.start && span.end <= body.span.end,
      ) &&
      redirects.every(({ target }) => target === undefined) &&
      pipeline.every(({ program }) => READERS.has(program)) &&
      (within === undefined || within.words.length === 0),
  );
}
