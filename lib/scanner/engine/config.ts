import * as z from 'zod/mini';
import { matchesRef } from '#lib/workflow/patterns/ref-pattern.ts';
import type { Diagnostic } from '#lib/workflow/text/diagnostic.ts';
import type { SourceFile, Span } from '#lib/workflow/text/source.ts';
import { parseYaml, valueOf, type YamlNode } from '#lib/workflow/yaml/parse.ts';

/** `.github/chainbreak.yml`. The JSON Schema in `docs/` is generated from this. */
export function configSchema() {
  const UsesPatterns = z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(500));

  const RuleId = z.string().register(z.globalRegistry, { description: 'The id of the rule.' });
  const Where = z.optional(z.string().check(z.minLength(1), z.maxLength(300))).register(z.globalRegistry, {
    description:
      'A file, a folder ending in "/", or a pattern, from the repository\'s root: "*" stands for text without "/", "**" for any text, "?" for one character. Everywhere when left out.',
  });

  return z.strictObject({
    ignore: z.optional(
      z
        .array(
          z.strictObject({
            rule: RuleId,
            path: Where,
            reason: z
              .string()
              .check(z.minLength(1), z.maxLength(1_000))
              .register(z.globalRegistry, { description: 'Why. It is shown with each suppressed finding.' }),
          }),
        )
        .check(z.maxLength(500))
        .register(z.globalRegistry, { description: 'Findings to leave out of the result; they are still listed.' }),
    ),
    severities: z.optional(
      z
        .array(
          z.strictObject({
            rule: RuleId,
            path: Where,
            severity: z.enum(['high', 'medium', 'low', 'info']).register(z.globalRegistry, {
              description: 'The severity of all findings of the rule there.',
            }),
          }),
        )
        .check(z.maxLength(500))
        .register(z.globalRegistry, {
          description: 'Severities that this repository gives to findings. The first entry that fits decides.',
        }),
    ),
    uses: z.optional(
      z
        .strictObject({
          allow: z.optional(UsesPatterns).register(z.globalRegistry, {
            description:
              'What may be used: "owner/*", "owner/repo", "owner/repo/path@v1", "docker://host/*". A "*" stands for any text. Everything when left out; actions of the repository itself always may.',
          }),
          deny: z.optional(UsesPatterns).register(z.globalRegistry, {
            description: 'What must not be used, in the same form. It prevails over what is allowed.',
          }),
        })
        .register(z.globalRegistry, {
          description: 'The actions and workflows that this repository may use; the rule forbidden-uses checks it.',
        }),
    ),
  });
}
export type Config = z.infer<ReturnType<typeof configSchema>>;

export interface ReadConfig {
  readonly config: Config;
  readonly diagnostics: readonly Diagnostic[];
  readonly ignoreSpans?: readonly Span[];
}

/** An entry with a path is never about settings. */
export function isAbout(path: string | undefined, file: string | null): boolean {
  if (path === undefined) return true;
  if (file === null) return false;
  if (/[*?]/.test(path)) return matchesRef(path, file) || (path.startsWith('**/') && matchesRef(path.slice(3), file));
  return path.endsWith('/') ? file.startsWith(path) : file === path;
}

/**
 * Reads the repository's configuration: suppressions with reasons, and allowed actions. A file with any error counts as
 * empty, so that a typo never suppresses a finding.
 */
export function readConfig(source: SourceFile | undefined, knownRules: ReadonlySet<string>): ReadConfig {
  if (source === undefined) return { config: {}, diagnostics: [] };
  const { root, diagnostics } = parseYaml(source.text);
  if (root === undefined || diagnostics.length > 0) return { config: {}, diagnostics };
  const parsed = configSchema().safeParse(toPlain(root));
  if (!parsed.success) {
    return {
      config: {},
      diagnostics: parsed.error.issues.slice(0, 20).map((issue): Diagnostic => {
        const where = issue.path.join('.');
        return {
          severity: 'error',
          message: `${where === '' ? 'The file' : where}: ${issue.message}`,
          span: spanAt(root, issue.path),
        };
      }),
    };
  }
  const { ignore = [], severities = [] } = parsed.data;
  const named = [
    ...ignore.map(({ rule }, index) => ({ rule, at: ['ignore', index, 'rule'] })),
    ...severities.map(({ rule }, index) => ({ rule, at: ['severities', index, 'rule'] })),
  ];
  const unknown = named.flatMap(({ rule, at }): Diagnostic[] =>
    knownRules.has(rule)
      ? []
      : [{ severity: 'warning', message: `There is no rule "${rule}".`, span: spanAt(root, at) }],
  );
  const ignoreSpans = ignore.map((_, index) => spanAt(root, ['ignore', index]));
  return { config: parsed.data, diagnostics: unknown, ignoreSpans };
}

function toPlain(node: YamlNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'sequence') return node.items.map(toPlain);
  return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, toPlain(value)]));
}

function spanAt(root: YamlNode, path: readonly PropertyKey[]): Span {
  let node: YamlNode = root;
  for (const segment of path) {
    const next: YamlNode | undefined =
      node.kind === 'sequence' ? node.items[Number(segment)] : valueOf(node, String(segment));
    if (next === undefined) break;
    node = next;
  }
  return node.span;
}
