import {
  type Container,
  type Job,
  type ParsedFile,
  type RunsOn,
  stepsOf,
  type Trigger,
  type Workflow,
} from '../model/model.ts';
import { checkSchema } from '../schema/validate.ts';
import type { Diagnostic } from '../text/diagnostic.ts';
import { MAX_JOBS, MAX_SHARED_VARIABLES, MAX_STEPS } from '../text/limits.ts';
import type { SourceFile } from '../text/source.ts';
import { entryOf, parseYaml, valueOf, type YamlEntry, type YamlMapping, type YamlNode } from '../yaml/parse.ts';
import {
  defaultShellOf,
  readEnvironment,
  readInputs,
  readPermissions,
  readUses,
  readVariables,
  textOf,
  textsOf,
  toText,
  valuesOf,
} from './fields.ts';
import { overlongScripts, parseSteps } from './steps.ts';

/** Reads a workflow; whatever the code host would reject becomes a diagnostic next to the partial model. */
export function parseWorkflow(source: SourceFile): ParsedFile<Workflow> {
  const { root, diagnostics: yamlDiagnostics } = parseYaml(source.text);
  const diagnostics: Diagnostic[] = [...yamlDiagnostics];
  if (root?.kind !== 'mapping') {
    if (diagnostics.length === 0) diagnostics.push({ severity: 'error', message: 'A workflow must be a mapping.' });
    return { source, definition: undefined, diagnostics };
  }
  const tooLarge = exceededLimit(root);
  if (tooLarge !== undefined) return { source, definition: undefined, diagnostics: [...diagnostics, tooLarge] };
  if (yamlDiagnostics.length === 0) diagnostics.push(...checkSchema(root, source, 'workflow'));

  const jobs: Job[] = [];
  const workflow: Workflow = {
    kind: 'workflow',
    source,
    root,
    name: textOf(root, 'name'),
    triggers: readTriggers(valueOf(root, 'on') ?? valueOf(root, 'true')),
    permissions: readPermissions(root),
    env: readVariables(valueOf(root, 'env')),
    defaultShell: defaultShellOf(root),
    concurrency: entryOf(root, 'concurrency'),
    jobs,
  };
  const jobsNode = valueOf(root, 'jobs');
  if (jobsNode?.kind === 'mapping') {
    for (const entry of jobsNode.entries.values()) {
      if (entry.value.kind === 'mapping') jobs.push(readJob(workflow, entry, entry.value));
    }
  }
  return { source, definition: workflow, diagnostics: [...diagnostics, ...overlongScripts(stepsOf(workflow))] };
}

function exceededLimit(root: YamlMapping): Diagnostic | undefined {
  const jobs = valueOf(root, 'jobs');
  if (jobs?.kind !== 'mapping') return undefined;
  if (jobs.entries.size > MAX_JOBS) {
    return { severity: 'error', message: `More than ${MAX_JOBS} jobs; the file is not read.`, span: jobs.span };
  }
  let steps = 0;
  for (const node of [root, ...[...jobs.entries.values()].map(({ value }) => value)]) {
    const list = valueOf(node, 'steps');
    if (list?.kind === 'sequence') steps += list.items.length;
    const variables = valueOf(node, 'env');
    if (variables?.kind !== 'mapping' || variables.entries.size <= MAX_SHARED_VARIABLES) continue;
    const message = `More than ${MAX_SHARED_VARIABLES} shared variables; the file is not read.`;
    return { severity: 'error', message, span: variables.span };
  }
  if (steps <= MAX_STEPS) return undefined;
  return { severity: 'error', message: `More than ${MAX_STEPS} steps; the file is not read.`, span: jobs.span };
}

function readTriggers(node: YamlNode | undefined): Trigger[] {
  if (node?.kind === 'mapping') {
    return [...node.entries].map(([event, { key, value }]) => readTrigger(event, key.span, value));
  }
  return textsOf(node).map((text) => readTrigger(text.value, text.span, undefined));
}

function readTrigger(event: string, span: Trigger['span'], settings: YamlNode | undefined): Trigger {
  return {
    event: event.toLowerCase(),
    span,
    settings,
    types: valuesOf(valueOf(settings, 'types')),
    branches: valuesOf(valueOf(settings, 'branches')),
    tags: valuesOf(valueOf(settings, 'tags')),
    workflows: valuesOf(valueOf(settings, 'workflows')),
    inputs: readInputs(valueOf(settings, 'inputs')),
  };
}

function readJob(workflow: Workflow, entry: YamlEntry, mapping: YamlMapping): Job {
  const secrets = valueOf(mapping, 'secrets');
  const job: Job = {
    kind: 'job',
    workflow,
    id: entry.key.text,
    idSpan: entry.key.span,
    mapping,
    span: entry.span,
    name: textOf(mapping, 'name'),
    needs: textsOf(valueOf(mapping, 'needs')).map((text) => text.value),
    condition: textOf(mapping, 'if'),
    runsOn: readRunsOn(entryOf(mapping, 'runs-on')),
    permissions: readPermissions(mapping),
    environment: readEnvironment(mapping),
    env: readVariables(valueOf(mapping, 'env')),
    outputs: readVariables(valueOf(mapping, 'outputs')),
    defaultShell: defaultShellOf(mapping),
    matrix: valueOf(valueOf(mapping, 'strategy'), 'matrix'),
    container: readContainer('container', valueOf(mapping, 'container')),
    services: readServices(valueOf(mapping, 'services')),
    steps: [],
    uses: readUses(mapping, workflow.source.text),
    with: readVariables(valueOf(mapping, 'with')),
    secrets: readVariables(secrets),
    secretsInherit: toText(secrets)?.value === 'inherit' ? toText(secrets) : undefined,
  };
  return Object.assign(job, { steps: parseSteps(job, valueOf(mapping, 'steps')) });
}

function readRunsOn(entry: YamlEntry | undefined): RunsOn | undefined {
  if (entry === undefined) return undefined;
  const { value, span } = entry;
  if (value.kind === 'mapping') {
    return { labels: textsOf(valueOf(value, 'labels')), group: textOf(value, 'group'), span };
  }
  return { labels: textsOf(value), group: undefined, span };
}

function readServices(node: YamlNode | undefined): Container[] {
  if (node?.kind !== 'mapping') return [];
  return [...node.entries].flatMap(([name, { value }]) => readContainer(name, value) ?? []);
}

function readContainer(label: string, node: YamlNode | undefined): Container | undefined {
  if (node === undefined || node.kind === 'sequence' || (node.kind === 'scalar' && node.value === null)) {
    return undefined;
  }
  const credentials = valueOf(node, 'credentials');
  return {
    label,
    span: node.span,
    image: toText(node) ?? textOf(node, 'image'),
    options: textOf(node, 'options'),
    username: textOf(credentials, 'username'),
    password: textOf(credentials, 'password'),
    env: readVariables(valueOf(node, 'env')),
    volumes: textsOf(valueOf(node, 'volumes')),
  };
}
