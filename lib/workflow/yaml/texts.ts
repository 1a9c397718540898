import type { YamlNode, YamlScalar } from './tree.ts';

interface ScalarText {
  readonly value: string;
  readonly span: YamlScalar['span'];
  readonly node: YamlScalar;
}

const textsByNode = new WeakMap<YamlNode, readonly ScalarText[]>();

export function textsBelow(node: YamlNode): readonly ScalarText[] {
  let texts = textsByNode.get(node);
  if (texts === undefined) {
    const found: ScalarText[] = [];
    collectTexts(node, found);
    texts = found;
    textsByNode.set(node, texts);
  }
  return texts;
}

function collectTexts(node: YamlNode, found: ScalarText[]): void {
  if (node.kind === 'scalar') found.push({ value: node.text, span: node.span, node });
  else if (node.kind === 'sequence') for (const item of node.items) collectTexts(item, found);
  else for (const { value } of node.entries.values()) collectTexts(value, found);
}
