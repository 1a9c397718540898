import { readFileSync, writeFileSync } from 'node:fs';
import { schemas } from '@octokit/openapi-webhooks';

type Text = 'free' | 'structured';
type Writer = 'outsider' | 'contributor' | 'member';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Webhook {
  readonly post: {
    readonly 'x-github': { readonly subcategory: string };
    readonly requestBody: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  };
}

interface OpenApi {
  readonly info: { readonly version: string };
  readonly webhooks: Readonly<Record<string, Webhook>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const OUTPUT = 'lib/data/generated/event-contexts.generated.ts';
const MAX_DEPTH = 24;

const TRIGGERS = words(`
  branch_protection_rule check_run check_suite create delete deployment deployment_status discussion
  discussion_comment fork gollum issue_comment issues label merge_group milestone page_build project project_card
  project_column public pull_request pull_request_review pull_request_review_comment push registry_package release
  repository_dispatch status watch workflow_dispatch workflow_run
`);

/** Webhooks that start no workflow; every webhook must be in one of the lists. */
const NOT_TRIGGERS = words(`
  branch_protection_configuration code_scanning_alert commit_comment custom_property custom-property-values
  dependabot_alert deploy_key deployment_protection_rule deployment_review github_app_authorization installation
  installation_repositories installation_target issue-dependencies marketplace_purchase member membership meta
  org_block organization package personal_access_token_request ping projects_v2 projects_v2_item projects_v2_status_update pull_request_review_thread
  repository repository_advisory repository_import repository_ruleset repository_vulnerability_alert
  secret_scanning_alert secret_scanning_alert_location secret_scanning_scan security_advisory
  security_and_analysis sponsorship star sub-issues team team_add workflow_job
`);

const SHARED_ROOTS = words('enterprise installation organization repository sender');

/**
 * Events whose payload Actions builds, with their additional roots. `workflow_call` sees its caller's payload,
 * and the payload of `image_version` is undocumented.
 */
const WITHOUT_WEBHOOK: Readonly<Record<string, Readonly<Record<string, 'fixed' | Text>>>> = {
  schedule: { schedule: 'fixed', workflow: 'structured' },
};

const SAME_PAYLOAD: Readonly<Record<string, string>> = { pull_request_target: 'pull_request' };

/**
 * What the text of a string leaf can be. Rules for whole subtrees (ending in `**`) apply first, then the first
 * match. Patterns match the end of a path: `*` is an array index, `?` any characters within a segment, `^`
 * anchors to the start.
 */
const TEXT_RULES: readonly { readonly text: Text | 'fixed'; readonly why: string; readonly paths: string }[] = [
  {
    text: 'fixed',
    why: 'known texts: licences and codes of conduct that GitHub recognises, permission levels, link tables',
    paths: 'license.** code_of_conduct.** permissions.** _links.** reactions.**',
  },
  {
    text: 'free',
    why: 'objects whose keys and values somebody chooses',
    paths: `
      custom_properties.** ^client_payload.** ^inputs.** deployment.payload.** package_version.npm_metadata.**
      package_version.nuget_metadata.** package_version.rubygems_metadata.** package_version.container_metadata.**
      package_version.metadata.** package_version.docker_metadata.** package_version.body.** registry_package.registry.**
    `,
  },
  {
    text: 'structured',
    why: 'branches, tags and refs: no space, but $ ( ) { } ; | & and quotes are allowed',
    paths: `
      ref head_ref base_ref head_branch head.label base.label default_branch master_branch ^branch branches.*.name
      ref.from tag_name tag_name.from target_commitish rule.name
    `,
  },
  {
    text: 'structured',
    why: 'paths in a repository',
    paths: `
      comment.path workflow.path workflow_run.path referenced_workflows.*.path ^workflow added.* modified.* removed.*
    `,
  },
  {
    text: 'structured',
    why: 'addresses that a person or an integration types in (a URI may still carry shell syntax)',
    paths: `
      homepage website_url external_url details_url target_url environment_url log_url compare pages.*.html_url
      package_version.package_url
    `,
  },
  {
    text: 'structured',
    why: 'short names with a restricted alphabet or length',
    paths: `
      label.name labels.*.name topics.* forkee.name environment original_environment assets.*.name content_type
      package_files.*.name registry_package.name registry_package.namespace package_version.name
      package_version.version authorized_actor_names.* authorized_actor_names.from.* ldap_dn identifier
    `,
  },
  {
    text: 'structured',
    why: 'e-mail addresses from git, and of the pusher (those of accounts are taken out before)',
    paths: 'author.email committer.email ^pusher.email',
  },
  {
    text: 'fixed',
    why: 'profiles that the account check below cannot tell from those of an enterprise or a team',
    paths:
      'app.owner.name app.owner.email performed_via_github_app.owner.name performed_via_github_app.owner.email requested_reviewers.*.email',
  },
  {
    text: 'fixed',
    why: 'names of repositories [A-Za-z0-9._-] and logins [A-Za-z0-9-]',
    paths: `
      ^name full_name repository.name ?_repository.name repo.name ^pusher.name author.username committer.username
      pusher.username login organization
    `,
  },
  {
    text: 'free',
    why: 'prose',
    paths: `
      title title.from body body.from body_html description description.from message summary note note.from text
      display_title diff_hunk commit_title commit_message page_name release.assets.*.label external_id task manifest
      installation_command ^context ^action
    `,
  },
  {
    text: 'free',
    why: 'names without a restricted alphabet',
    paths: `
      author.name committer.name name.from enterprise.name app.name performed_via_github_app.name check_run.name
      category.name category.from.name type.name workflow.name workflow_run.name project.name project_column.name
      release.name requested_team.name requested_teams.*.name requested_reviewers.*.name parent.name
      single_select_option.name issue_field_values.*.value required_status_checks.* required_status_checks.from.*
    `,
  },
  {
    text: 'free',
    why: 'the raw commit as signed, and the signature block next to it',
    paths: 'verification.payload verification.signature',
  },
  {
    text: 'fixed',
    why: 'addresses that GitHub builds from names and numbers',
    paths: 'url ?_url',
  },
  {
    text: 'fixed',
    why: 'hashes, node ids and other identifiers that GitHub issues',
    paths: `
      sha sha.from head_sha base_sha merge_commit_sha lexical_commit_sha after before commit_id original_commit_id
      build.commit target_oid digest md5 sha1 sha256 tree_id head_commit.id commits.*.id node_id
      check_suite_node_id gravatar_id client_id temp_clone_token
    `,
  },
  {
    text: 'fixed',
    why: 'dates without a declared format',
    paths: `
      created_at updated_at pushed_at published_at closed_at merged_at starred_at answer_chosen_at verified_at
      timestamp author.date committer.date due_on.from
    `,
  },
  {
    text: 'fixed',
    why: 'values from lists that GitHub keeps (the schema does not always say so)',
    paths: `
      active_lock_reason author_association color color.from emoji ecosystem event events.* language
      mergeable_state notification_setting package_type permission privacy pusher_type reason role_name slug
      state state_reason status type user_view_type visibility
    `,
  },
];

/**
 * Who can choose the text. Patterns match the start of a path; `**.` allows any depth. Shared rules come first,
 * first match wins. outsider: anyone who can open an issue, comment, fork, or propose a change. contributor: a
 * member has to act (merge, run, push), but the text can come from an outsider. member: someone with write
 * access, or an app they installed.
 */
const SHARED_WRITERS: readonly (readonly [Writer, string])[] = [
  [
    'member',
    `repository organization enterprise label **.labels **.milestone **.category **.type **.issue_field_values
    **.app **.performed_via_github_app`,
  ],
];

const PULL_REQUEST_WRITERS: readonly (readonly [Writer, string])[] = [
  ['contributor', 'pull_request.auto_merge'],
  ['member', 'pull_request.base pull_request.requested_teams pull_request.requested_reviewers'],
  ['outsider', 'pull_request.head pull_request.title pull_request.body'],
];

const WRITERS: Readonly<Record<string, readonly (readonly [Writer, string])[]>> = {
  branch_protection_rule: [['member', 'rule changes']],
  check_run: [
    ['contributor', 'check_run.output **.head_branch **.pull_requests.*.head'],
    ['member', 'check_run requested_action'],
  ],
  check_suite: [
    ['outsider', 'check_suite.head_commit'],
    ['contributor', 'check_suite.head_branch check_suite.pull_requests.*.head'],
    ['member', 'check_suite.pull_requests.*.base'],
  ],
  create: [['member', 'ref master_branch description']],
  delete: [['member', 'ref']],
  deployment: [
    ['member', 'deployment workflow workflow_run.pull_requests.*.base'],
    ['contributor', 'workflow_run'],
  ],
  deployment_status: [
    ['member', 'deployment deployment_status check_run workflow workflow_run.pull_requests.*.base'],
    ['contributor', 'workflow_run'],
  ],
  discussion: [
    ['outsider', 'discussion answer old_answer changes.title changes.body changes.new_discussion'],
    ['member', 'changes.new_repository'],
  ],
  discussion_comment: [['outsider', 'discussion comment changes.body']],
  fork: [['outsider', 'forkee']],
  gollum: [['outsider', 'pages']],
  issue_comment: [['outsider', 'issue comment changes.body']],
  issues: [
    ['member', 'changes.old_repository changes.new_repository'],
    ['outsider', 'issue changes.title changes.body changes.old_issue changes.new_issue'],
  ],
  label: [['member', 'changes']],
  merge_group: [
    ['member', 'merge_group.base_ref merge_group.head_ref'],
    ['contributor', 'merge_group'],
  ],
  milestone: [['member', 'changes']],
  page_build: [['contributor', 'build.error']],
  project: [['member', 'project changes']],
  project_card: [['member', 'project_card changes']],
  project_column: [['member', 'project_column changes']],
  pull_request: [
    ...PULL_REQUEST_WRITERS,
    ['member', 'requested_team changes.base'],
    ['outsider', 'changes.title changes.body'],
  ],
  pull_request_review: [...PULL_REQUEST_WRITERS, ['outsider', 'review changes.body']],
  pull_request_review_comment: [...PULL_REQUEST_WRITERS, ['outsider', 'comment changes.body']],
  push: [
    ['contributor', 'commits head_commit'],
    ['member', 'ref base_ref compare pusher'],
  ],
  registry_package: [['member', 'registry_package']],
  release: [['member', 'release changes']],
  repository_dispatch: [['member', 'action branch client_payload']],
  schedule: [['member', 'workflow']],
  status: [
    ['outsider', 'commit'],
    ['member', 'context description target_url branches'],
  ],
  workflow_dispatch: [['member', 'inputs ref workflow']],
  workflow_run: [
    ['member', 'workflow_run.repository workflow_run.pull_requests.*.base'],
    [
      'outsider',
      `workflow_run.head_branch workflow_run.head_commit workflow_run.head_repository workflow_run.display_title
      workflow_run.pull_requests.*.head workflow_run.name workflow_run.path workflow_run.referenced_workflows`,
    ],
    ['contributor', 'workflow'],
  ],
};

/** Contexts that other scanners report, as `event: path …`; the run stops if one is lost. */
const KNOWN_DANGEROUS: Readonly<Record<Writer, readonly string[]>> = {
  outsider: [
    'issues: issue.title issue.body changes.title.from changes.body.from',
    'issue_comment: issue.title issue.body comment.body changes.body.from',
    `pull_request_target: pull_request.title pull_request.body pull_request.head.ref pull_request.head.label
      pull_request.head.repo.default_branch pull_request.head.repo.homepage pull_request.head.repo.description
      changes.title.from changes.body.from`,
    'pull_request_review: pull_request.title pull_request.body pull_request.head.ref review.body',
    'pull_request_review_comment: pull_request.title pull_request.body pull_request.head.ref comment.body',
    'discussion: discussion.title discussion.body changes.title.from changes.body.from',
    'discussion_comment: discussion.title discussion.body comment.body',
    'gollum: pages.*.page_name pages.*.title',
    'fork: forkee.name forkee.description forkee.homepage forkee.default_branch',
    `workflow_run: workflow_run.head_branch workflow_run.display_title workflow_run.name workflow_run.head_commit.message
      workflow_run.head_commit.author.name workflow_run.head_commit.author.email
      workflow_run.head_repository.description workflow_run.pull_requests.*.head.ref`,
  ],
  contributor: [
    `push: commits.*.message commits.*.author.email commits.*.author.name head_commit.message
      head_commit.author.email head_commit.author.name head_commit.committer.email head_commit.committer.name`,
    'merge_group: merge_group.head_commit.message',
  ],
  member: [
    'merge_group: merge_group.head_ref',
    'pull_request: pull_request.milestone.title pull_request.labels.*.name',
    'release: release.body',
  ],
};

class Place {
  readonly children = new Map<string, Place>();
  isText = false;
  open: '' | 'bare' | 'extra' = '';

  child(name: string): Place {
    const known = this.children.get(name) ?? new Place();
    this.children.set(name, known);
    return known;
  }
}

class Pattern {
  readonly source: string;
  readonly subtree: boolean;
  used = false;
  readonly #regex: RegExp;

  constructor(source: string, side: 'start' | 'end') {
    this.source = source;
    this.subtree = source.endsWith('.**');
    const anchored = source.startsWith('^');
    const anyDepth = source.startsWith('**.');
    const body = source.replace(/^\^|^\*\*\.|\.\*\*$/gu, '');
    const regex = body.replaceAll('.', '\\.').replaceAll('*', '\\*').replaceAll('?', '[^.]+');
    const before = anchored || (side === 'start' && !anyDepth) ? '^' : String.raw`(?:^|\.)`;
    this.#regex = new RegExp(`${before}${regex}${side === 'start' ? String.raw`(?:\.|$)` : '$'}`, 'u');
  }

  matches(path: string): boolean {
    const matched = this.#regex.test(path);
    this.used ||= matched;
    return matched;
  }
}

const document = schemas['api.github.com'] as unknown as OpenApi;
const problems: string[] = [];

const textRules = TEXT_RULES.flatMap(({ text, paths }) =>
  words(paths).map((path) => ({ text, pattern: new Pattern(path, 'end') })),
);
const subtreeRules = textRules.filter((rule) => rule.pattern.subtree);
const leafRules = textRules.filter((rule) => !rule.pattern.subtree);
const sharedWriters = compileWriters(SHARED_WRITERS);
const eventWriters = Object.fromEntries(
  Object.entries(WRITERS).map(([event, rules]) => [event, compileWriters(rules)]),
);

const roots = new Map<string, string[]>();
const contexts = new Map<string, Map<string, string>>();

const payloads = readPayloads();
for (const [event, payload] of payloads) {
  roots.set(event, [...payload.children.keys()]);
  contexts.set(event, classify(event, payload));
}
const shared = sharedContexts();
addEventsWithoutWebhook();
checkKnownDangerous();
checkUnused();
if (problems.length > 0) {
  throw new Error(`cannot classify the payloads of ${document.info.version}:\n  ${problems.join('\n  ')}`);
}
const rendered = render();
if (!process.argv.includes('--check')) writeFileSync(OUTPUT, rendered);
else if (readFileSync(OUTPUT, 'utf8') !== rendered) throw new Error(`${OUTPUT} is stale.`);

function words(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}

function compileWriters(rules: readonly (readonly [Writer, string])[]): { writer: Writer; pattern: Pattern }[] {
  return rules.flatMap(([writer, paths]) =>
    words(paths).map((path) => ({ writer, pattern: new Pattern(path, 'start') })),
  );
}

function readPayloads(): Map<string, Place> {
  const found = new Map<string, Place>();
  const ignored = new Set<string>();
  for (const [name, { post }] of Object.entries(document.webhooks)) {
    const event = post['x-github'].subcategory;
    if (NOT_TRIGGERS.includes(event)) {
      ignored.add(event);
      continue;
    }
    if (!TRIGGERS.includes(event)) {
      problems.push(`webhook ${name} (${event}): neither a trigger nor listed as none`);
      continue;
    }
    const payload = found.get(event) ?? new Place();
    found.set(event, payload);
    for (const { schema } of Object.values(post.requestBody.content)) merge(schema, payload, name, []);
  }
  for (const event of TRIGGERS) if (!found.has(event)) problems.push(`trigger ${event}: no webhook in the package`);
  for (const event of NOT_TRIGGERS)
    if (!ignored.has(event)) problems.push(`ignored ${event}: no such webhook any more`);
  return new Map([...found].sort(([a], [b]) => compare(a, b)));
}

function merge(schema: Schema, place: Place, path: string, refs: readonly string[]): void {
  if (path.split('.').length > MAX_DEPTH) throw new Error(`${path}: nested too deeply`);
  if (schema.$ref !== undefined) {
    if (refs.includes(schema.$ref)) {
      place.open ||= 'extra';
      return;
    }
    merge(resolve(schema.$ref), place, path, [...refs, schema.$ref]);
  }
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    merge(part, place, path, refs);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    merge(property, place.child(name), `${path}.${name}`, refs);
  }
  if (schema.items !== undefined) merge(schema.items, place.child('*'), `${path}.*`, refs);

  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (types.includes('string') && !isNarrow(schema)) place.isText = true;
  const composed = schema.$ref ?? schema.allOf ?? schema.anyOf ?? schema.oneOf;
  const opaque = types.length === 0 && !isNarrow(schema) && schema.items === undefined;
  const lists = types.includes('array') && schema.items === undefined;
  if (schema.additionalProperties === true || typeof schema.additionalProperties === 'object') place.open = 'extra';
  else if (schema.properties === undefined && composed === undefined && schema.additionalProperties === undefined) {
    if (types.includes('object') || opaque || lists) place.open ||= 'bare';
  }
}

/** True if the schema excludes free text. A `uri` does not: homepages, which users type, have this format. */
function isNarrow(schema: Schema): boolean {
  const narrowFormats = ['date', 'date-time', 'uri-template'];
  return schema.enum !== undefined || schema.const !== undefined || narrowFormats.includes(schema.format ?? '');
}

function resolve(ref: string): Schema {
  const name = ref.replace('#/components/schemas/', '');
  const schema = document.components.schemas[name];
  if (schema === undefined) throw new Error(`${ref}: not in the document`);
  return schema;
}

function classify(event: string, payload: Place): Map<string, string> {
  const found = new Map<string, string>();
  const keep = (path: string, written: string, text: Text | 'fixed'): void => {
    if (text !== 'fixed') found.set(written, `${text} ${writerOf(event, path)}`);
  };
  const visit = (place: Place, path: string, parent: Place | undefined): void => {
    const subtree = path === '' ? undefined : subtreeRules.find(({ pattern }) => pattern.matches(path));
    if (subtree !== undefined) {
      keep(path, `${path}.**`, subtree.text);
      return;
    }
    if (place.open === 'extra' || (place.open === 'bare' && place.children.size === 0 && path !== '')) {
      problems.push(`${event}: ${path}.** is an open object without a rule`);
    }
    if (place.isText && !isAccountProfile(path, parent)) {
      const rule = leafRules.find(({ pattern }) => pattern.matches(path));
      if (rule === undefined) problems.push(`${event}: ${path} is a string without a rule`);
      else keep(path, path, rule.text);
    }
    for (const [name, child] of place.children) visit(child, path === '' ? name : `${path}.${name}`, place);
  };
  visit(payload, '', undefined);
  return found;
}

/**
 * The schemas share a definition for accounts with a name and e-mail address that webhooks omit. An object with
 * a login is an account, unless a slug shows that it can be a team.
 */
function isAccountProfile(path: string, parent: Place | undefined): boolean {
  if (parent === undefined || !parent.children.has('login') || parent.children.has('slug')) return false;
  return path.endsWith('.name') || path.endsWith('.email');
}

function writerOf(event: string, path: string): Writer {
  const rules = [...sharedWriters, ...(eventWriters[event] ?? [])];
  const rule = rules.find(({ pattern }) => pattern.matches(path));
  if (rule === undefined) problems.push(`${event}: nobody is listed as the writer of ${path}`);
  return rule?.writer ?? 'outsider';
}

function sharedContexts(): Map<string, string> {
  const found = new Map<string, string>();
  for (const [event, own] of contexts) {
    for (const [path, kind] of own) {
      if (!SHARED_ROOTS.includes(path.split('.')[0] ?? '')) continue;
      if ((found.get(path) ?? kind) !== kind) problems.push(`${event}: ${path} is ${kind}, but not elsewhere`);
      found.set(path, kind);
    }
  }
  return found;
}

function addEventsWithoutWebhook(): void {
  for (const [event, own] of Object.entries(WITHOUT_WEBHOOK)) {
    roots.set(event, Object.keys(own));
    const found = new Map<string, string>();
    for (const [path, text] of Object.entries(own)) {
      if (text !== 'fixed') found.set(path, `${text} ${writerOf(event, path)}`);
    }
    contexts.set(event, found);
  }
}

function checkKnownDangerous(): void {
  for (const [writer, lines] of Object.entries(KNOWN_DANGEROUS)) {
    for (const line of lines) {
      const [event = '', ...paths] = words(line.replace(':', ''));
      for (const path of paths) {
        const kind = contexts.get(SAME_PAYLOAD[event] ?? event)?.get(path);
        if (kind?.split(' ')[1] !== writer) problems.push(`${event}: ${path} is ${kind ?? 'lost'}, not for ${writer}`);
      }
    }
  }
}

function checkUnused(): void {
  const all = [...textRules, ...sharedWriters, ...Object.values(eventWriters).flat()];
  for (const { pattern } of all) if (!pattern.used) problems.push(`pattern ${pattern.source} matches nothing`);
  for (const event of Object.keys(WRITERS))
    if (!contexts.has(event)) problems.push(`writers of unknown event ${event}`);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function renderContexts(found: ReadonlyMap<string, string>): string {
  const lines: string[] = [];
  for (const writer of ['outsider', 'contributor', 'member']) {
    for (const text of ['free', 'structured']) {
      const paths = [...found].filter(([, kind]) => kind === `${text} ${writer}`).map(([path]) => path);
      if (paths.length > 0) lines.push(`${text} ${writer}`, ...paths.sort().map((path) => `  ${path}`));
    }
  }
  return lines.join('\n');
}

function render(): string {
  const events = [...contexts.keys()].sort();
  const own = events.map((event) => {
    const rest = [...(contexts.get(event) ?? [])].filter(([path]) => !shared.has(path));
    return rest.length === 0 ? `  ${event}: '',` : `  ${event}: \`\n${renderContexts(new Map(rest))}\`,`;
  });
  const ownRoots = events.map((event) => {
    const rest = (roots.get(event) ?? []).filter((root) => !SHARED_ROOTS.includes(root));
    return `  ${event}: '${rest.sort().join(' ')}',`;
  });
  const aliases = Object.entries(SAME_PAYLOAD).map(([event, source]) => `  ${event}: '${source}',`);
  return `// Generated by lib/tools/generate-event-contexts.ts from @octokit/openapi-webhooks ${document.info.version}. Do not edit.

/** \`free\`: any characters; \`structured\`: a restricted alphabet, which can still hold shell syntax. */
export type EventText = 'free' | 'structured';

/** \`contributor\`: a member has to act, but the text may come from an outsider. */
export type EventWriter = 'outsider' | 'contributor' | 'member';

/**
 * A value below \`github.event\`. In the path, \`*\` is any array index and a final \`**\` the value itself with everything
 * beneath it. What a known event does not list is fixed: numbers, hashes, dates, enums, logins, API addresses.
 */
export interface EventContext {
  readonly path: string;
  readonly text: EventText;
  readonly writer: EventWriter;
}

const SHARED = \`
${renderContexts(shared)}\`;

const OWN: Readonly<Record<string, string>> = {
${own.join('\n')}
};

const SHARED_ROOTS = '${SHARED_ROOTS.join(' ')}';

const OWN_ROOTS: Readonly<Record<string, string>> = {
${ownRoots.join('\n')}
};

const SAME_PAYLOAD: Readonly<Record<string, string>> = {
${aliases.join('\n')}
};

/** The values that carry chosen text, per event, sorted by path. */
export const EVENT_CONTEXTS: Readonly<Record<string, readonly EventContext[]>> = perEvent((event) =>
  parse(\`\${SHARED}\${OWN[event] ?? ''}\`).sort(byPath),
);

/**
 * The objects and arrays that hold such a value, each with the kind of the most exposed one, for \`toJSON(…)\` and the
 * like. The empty path is \`github.event\` as a whole.
 */
export const EVENT_PREFIXES: Readonly<Record<string, readonly EventContext[]>> = perEvent((event) =>
  prefixes(EVENT_CONTEXTS[event] ?? []).sort(byPath),
);

/** The top-level properties that the event's payload can have, sorted. */
export const EVENT_ROOTS: Readonly<Record<string, readonly string[]>> = perEvent((event) =>
  \`\${SHARED_ROOTS} \${OWN_ROOTS[event] ?? ''}\`.trim().split(' ').sort(),
);

/** A table without a prototype whose rows are computed on first use; events with the same payload share theirs. */
function perEvent<T>(row: (event: string) => readonly T[]): Readonly<Record<string, readonly T[]>> {
  const table = Object.create(null) as Record<string, readonly T[]>;
  for (const event of [...Object.keys(OWN), ...Object.keys(SAME_PAYLOAD)].sort()) {
    const define = (descriptor: PropertyDescriptor): unknown =>
      Object.defineProperty(table, event, { configurable: true, enumerable: true, ...descriptor });
    define({
      get(): readonly T[] {
        const source = SAME_PAYLOAD[event];
        const value = source === undefined ? row(event) : (table[source] ?? []);
        define({ value });
        return value;
      },
    });
  }
  return table;
}

function parse(source: string): EventContext[] {
  const found: EventContext[] = [];
  let text: EventText = 'free';
  let writer: EventWriter = 'outsider';
  for (const line of source.split('\\n')) {
    if (line.startsWith('  ')) found.push({ path: line.slice(2), text, writer });
    else if (line !== '') [text, writer] = line.split(' ') as [EventText, EventWriter];
  }
  return found;
}

function prefixes(contexts: readonly EventContext[]): EventContext[] {
  const found = new Map<string, EventContext>();
  for (const { path, text, writer } of contexts) {
    const segments = path.split('.');
    for (let length = 0; length < segments.length; length += 1) {
      const prefix = { path: segments.slice(0, length).join('.'), text, writer };
      const known = found.get(prefix.path);
      if (known === undefined || exposure(prefix) > exposure(known)) found.set(prefix.path, prefix);
    }
  }
  return [...found.values()];
}

function exposure({ text, writer }: EventContext): number {
  return 2 * ['member', 'contributor', 'outsider'].indexOf(writer) + (text === 'free' ? 1 : 0);
}

function byPath(a: EventContext, b: EventContext): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}
`;
}
