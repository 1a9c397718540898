import { actionOf, inputOf } from '#lib/workflow/model/action-uses.ts';
import { type Job, jobOf, type Step, type Text } from '#lib/workflow/model/model.ts';
import { commandsOf } from '#lib/workflow/shell/shell.ts';
import { type Folder, folderAt, isWithin } from '#lib/workflow/shell/working-directory.ts';
import type { Span } from '#lib/workflow/text/source.ts';
import { textsBelow } from '#lib/workflow/yaml/texts.ts';
import { replacesFolder } from '../checkouts/checked-out-files.ts';
import type { Checkout } from '../checkouts/checkouts.ts';
import { secretNamesIn } from '../privileges/secret-names.ts';

export interface SettingsReader {
  readonly step: Step;
  readonly span: Span;
  readonly what: string;
}

/** Reads `sonar-project.properties`, which may name another server: https://docs.sonarsource.com/sonarqube-server/analyzing-source-code/analysis-parameters */
const SCANNERS: ReadonlySet<string> = new Set(['sonarsource/sonarqube-scan-action']);

/** Returns the first later step that takes the address of the server for its token from the checkout’s own files. */
export function settingsReaderAfter(checkout: Checkout, runs: (step: Step) => boolean): SettingsReader | undefined {
  const { folder, step: from } = checkout;
  if (folder === undefined) return undefined;
  const later = from.parent.steps.slice(from.index + 1);
  const replaced = later.findIndex((step) => replacesFolder(step, folder));
  for (const step of replaced === -1 ? later : later.slice(0, replaced)) {
    const found = settingsReaderIn(step, folder);
    if (found !== undefined && runs(step)) return found;
  }
  return undefined;
}

export function settingsReaderIn(step: Step, folder: string): SettingsReader | undefined {
  const found = readerIn(step, folder);
  return found !== undefined && holdsSecret(step) && !namesServer(step) ? found : undefined;
}

function readerIn(step: Step, folder: string): SettingsReader | undefined {
  const action = actionOf(step);
  if (action !== undefined && SCANNERS.has(action.slug)) {
    const at = folderAt('', inputOf(step, 'projectBaseDir')?.value ?? '');
    return lies(at, folder)
      ? { step, span: step.uses?.text.span ?? step.span, what: `the action ${action.owner}/${action.repo}` }
      : undefined;
  }
  const command = commandsOf(step).find(({ program }) => program === 'sonar-scanner');
  const at = folderAt('', step.workingDirectory?.value ?? '');
  return command !== undefined && lies(at, folder) ? { step, span: command.span, what: command.program } : undefined;
}

function lies(at: Folder, folder: string): boolean {
  return at !== undefined && isWithin(at, folder);
}

const OF_SONAR = /sonar/;

function holdsSecret(step: Step): boolean {
  return textsOf(step).some((text) => secretNamesIn(text).some((name) => name === '*' || OF_SONAR.test(name)));
}

const SERVER = /sonar\.host\.url\s?=/;

/** A server on the command line or in the environment takes precedence over the file. */
function namesServer(step: Step): boolean {
  const variables = [step, ...jobsOf(step)].flatMap(({ env }) => env?.entries ?? []);
  const ofWorkflow = jobsOf(step).flatMap(({ workflow }) => workflow.env?.entries ?? []);
  return (
    [...variables, ...ofWorkflow].some(({ name }) => name.toUpperCase() === 'SONAR_HOST_URL') ||
    textsBelow(step.mapping).some(({ value }) => SERVER.test(value))
  );
}

function textsOf(step: Step): Text[] {
  const outer = jobsOf(step).flatMap(({ env, workflow }) => [
    ...(env?.entries ?? []),
    ...(workflow.env?.entries ?? []),
  ]);
  return [...textsBelow(step.mapping), ...outer.map(({ value }) => value)];
}

function jobsOf(step: Step): Job[] {
  const job = jobOf(step);
  return job === undefined ? [] : [job];
}
