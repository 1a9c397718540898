import { accessedPaths, expressionsIn } from '#lib/workflow/expressions/expression.ts';
import type { Job, Text } from '#lib/workflow/model/model.ts';
import type { YamlNode } from '#lib/workflow/yaml/parse.ts';
import { tokenPermissions } from './permissions.ts';

/** What whoever runs code in a job could take or do. */
export interface JobCredentials {
  /**
   * Names of the secrets the job reads, in lower case, without GITHUB_TOKEN and what opens nothing by itself: names of
   * users. `*` for all of them.
   */
  readonly secrets: readonly string[];
  /** The job's token has some write scope by its declaration, or nothing limits it. */
  readonly mayWrite: boolean;
  /** A declared block grants some write. */
  readonly grantsWrite: boolean;
  readonly mintsOidc: boolean;
  /** True when there is anything of the above to take for certain: a secret, a granted write or OIDC. */
  readonly any: boolean;
}

const stakesByJob = new WeakMap<Job, JobCredentials>();

export function credentialsOf(job: Job): JobCredentials {
  let stakes = stakesByJob.get(job);
  if (stakes === undefined) {
    const secrets = [...new Set(secretsIn(job))];
    const { grantsWrite, mayWrite, level } = tokenPermissions(job);
    const mintsOidc = level('id-token') === 'write';
    stakes = { secrets, mayWrite, grantsWrite, mintsOidc, any: secrets.length > 0 || grantsWrite || mintsOidc };
    stakesByJob.set(job, stakes);
  }
  return stakes;
}

function* secretsIn(job: Job): Generator<string> {
  if (job.secretsInherit !== undefined) yield '*';
  const workflowEnv = job.workflow.env?.entries.map(({ value }) => value) ?? [];
  for (const text of [...workflowEnv, ...textsBelow(job.mapping)]) {
    for (const name of secretNamesIn(text)) if (name !== 'github_token' && !USER_NAME.test(name)) yield name;
  }
}

const USER_NAME = /(?:^|_)(?:usr|user|user_?name|login|e?mail)$/;

/** Secrets that a text's expressions read, in lower case; `*` when not one by name. */
export function secretNamesIn(text: Text): string[] {
  if (!text.value.includes('secrets')) return [];
  return expressionsIn(text).flatMap(({ node }) =>
    node === undefined
      ? []
      : accessedPaths(node).flatMap((path) => {
          if (path === 'secrets') return ['*'];
          return path.startsWith('secrets.') ? [path.slice('secrets.'.length)] : [];
        }),
  );
}

/** A vendor’s own credential, handed to the vendor’s own code: there is nothing that it does not have. */
export function opensOnly(secret: string, vendor: string): boolean {
  const name = vendor
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/(?:hq|io|sh)$/, '');
  return name.length > 3 && secret.replace(/[^a-z0-9]/g, '').startsWith(name);
}

const textsByNode = new WeakMap<YamlNode, readonly Text[]>();

/** Every scalar below a node, as text, in the order of the file. */
export function textsBelow(node: YamlNode): readonly Text[] {
  let texts = textsByNode.get(node);
  if (texts === undefined) {
    const found: Text[] = [];
    collectTexts(node, found);
    texts = found;
    textsByNode.set(node, texts);
  }
  return texts;
}

function collectTexts(node: YamlNode, found: Text[]): void {
  if (node.kind === 'scalar') found.push({ value: node.text, span: node.span, node });
  else if (node.kind === 'sequence') for (const item of node.items) collectTexts(item, found);
  else for (const { value } of node.entries.values()) collectTexts(value, found);
}

/** Whether a secret is by its name (in lower case) the address of a chat's channel: it lets its owner write there, no more. */
export function isChatAddress(name: string): boolean {
  return CHAT.test(name) && !/token|key|password/.test(name);
}

const CHAT = /slack|discord|teams|mattermost|webex/;
