import type { Dependabot, DependabotUpdate, ParsedFile } from '../model/model.ts';
import type { SourceFile } from '../text/source.ts';
import { parseYaml, valueOf } from '../yaml/parse.ts';
import { textOf } from './fields.ts';

export function parseDependabot(source: SourceFile): ParsedFile<Dependabot> {
  const { root, diagnostics } = parseYaml(source.text);
  if (root?.kind !== 'mapping') return { source, definition: undefined, diagnostics };
  const registries = valueOf(root, 'registries');
  const updates = valueOf(root, 'updates');
  return {
    source,
    diagnostics,
    definition: {
      kind: 'dependabot',
      source,
      root,
      registries: registries?.kind === 'mapping' ? [...registries.entries.keys()] : [],
      updates:
        updates?.kind === 'sequence'
          ? updates.items.flatMap((item): DependabotUpdate[] =>
              item.kind === 'mapping'
                ? [{ ecosystem: textOf(item, 'package-ecosystem'), mapping: item, span: item.span }]
                : [],
            )
          : [],
    },
  };
}
