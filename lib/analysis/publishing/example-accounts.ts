import { type Job, jobOf, type Step } from '#lib/workflow/model/model.ts';
import { commandFileWrites } from '#lib/workflow/shell/command-files.ts';
import { withStatedVariables } from '#lib/workflow/shell/env-lookup.ts';
import { memoByNode } from '../memo.ts';
import { cloudIdentity } from '../privileges/cloud-sign-ins.ts';
import { jobNamed } from '../reachability/needed-jobs.ts';

const EXAMPLES = [
  /^arn:aws[a-z-]{0,10}:iam::(?:123456789012|111122223333|444455556666|([0-9])\1{11}|[a-z_<][\w<>. -]{0,60}):role\//i,
  /^projects\/(?:123456789(?:0|012)?|0{6,12}|<[^>/]{1,40}>|your[\w-]{0,40}|my-project|project[_-]?(?:id|number))\/locations\//i,
  /^(?:0{8}-0{4}-0{4}-0{4}-0{12}|<[^>]{1,40}>|your[_-][\w-]{1,40})$/i,
];

const OUTPUT = /^\$\{\{\s*(steps|needs)\.([\w-]{1,100})\.outputs\.([\w-]{1,100})\s*\}\}$/i;
const ASSIGNMENT = /^([\w-]{1,100})=(.*)$/;
const ANY = '*';

/** True if a step only signs in to accounts of documentation or to words that stand for one, which trust no one. */
export const signsInToExample = memoByNode((step: Step): boolean => {
  const text = cloudIdentity(step)?.value;
  return text !== undefined && isExample(text, step);
});

function isExample(text: string, at: Step | Job): boolean {
  const stated = withStatedVariables(text, at).trim();
  if (isForExample(stated)) return true;
  const [, context, id = '', name = ''] = OUTPUT.exec(stated) ?? [];
  const job = at.kind === 'job' ? at : jobOf(at);
  if (context === undefined || job === undefined) return false;
  if (context === 'steps') {
    const written = examplesWritten(job);
    return [name, ANY].every((each) => written.get(keyOf(id, each)) !== false) && written.has(keyOf(id, name));
  }
  const needed = at.kind === 'job' ? undefined : jobNamed(job.workflow, id);
  const output = needed?.outputs?.get(name);
  return needed !== undefined && output !== undefined && isExample(output.value.value, needed);
}

const examplesWritten = memoByNode((job: Job): ReadonlyMap<string, boolean> => {
  const found = new Map<string, boolean>();
  for (const step of job.steps) {
    const id = step.id?.value;
    if (id === undefined) continue;
    for (const { file, words } of commandFileWrites(step)) {
      const values = words.length === 0 ? [''] : words.map(({ value }) => value);
      for (const value of file === 'output' ? values : []) {
        const [, name = ANY, set = ''] = ASSIGNMENT.exec(value) ?? [];
        const key = keyOf(id, name);
        found.set(key, found.get(key) !== false && isForExample(set));
      }
    }
  }
  return found;
});

function keyOf(id: string, name: string): string {
  return `${id} ${name}`.toLowerCase();
}

function isForExample(text: string): boolean {
  return EXAMPLES.some((example) => example.test(text));
}
