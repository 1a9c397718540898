/**
 * Renders a page of `docs/` while the web app is built. Raw HTML of the source is dropped.
 * @typedef {import('hast').Root} Root
 * @typedef {import('hast').Root['children'][number]} Node
 * @typedef {{ readonly id: string, readonly depth: number, readonly text: string }} Heading
 * @typedef {{ readonly id: string, readonly heading: string, readonly text: string }} Part
 * @typedef {{ readonly title: string, readonly summary: string, readonly headings: readonly Heading[], readonly parts: readonly Part[], readonly tree: Root }} RenderedDoc
 */
import rehypeSlug from 'rehype-slug';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';

/** Generated for the repository; the site has better pages of them. */
const ELSEWHERE = { 'rules.md': '/rules', 'paths.md': '/attack-paths' };

const RENAMED = { 'api.md': 'using-the-api.md' };

const processor = unified().use(remarkParse).use(remarkGfm).use(remarkRehype).use(rehypeSlug);

/**
 * Returns a page as a tree of elements, with its title, headings and the text below each of them.
 * @param {string} markdown
 * @returns {RenderedDoc}
 */
export function renderMarkdown(markdown) {
  const tree = processor.runSync(processor.parse(markdown));
  const title = tree.children.find((node) => node.type === 'element' && node.tagName === 'h1');
  const children = tree.children.filter((node) => node !== title);
  for (const node of children) linkPages(node);
  const [headings, parts] = [[], [{ id: '', heading: '', text: '' }]];
  for (const node of children) {
    if (node.type !== 'element') continue;
    const [, depth] = /^h([2-4])$/.exec(node.tagName) ?? [];
    if (depth === undefined) {
      const part = parts.at(-1);
      if (part !== undefined) part.text = `${part.text} ${textOf(node)}`.trim();
      continue;
    }
    const heading = { id: String(node.properties['id']), depth: Number(depth), text: textOf(node) };
    headings.push(heading);
    parts.push({ id: heading.id, heading: heading.text, text: '' });
  }
  const first = children.find((node) => node.type === 'element' && node.tagName === 'p');
  return {
    title: title === undefined ? '' : textOf(title),
    summary: first === undefined ? '' : textOf(first),
    headings,
    parts: parts.filter(({ heading, text }) => heading !== '' || text !== ''),
    tree: withoutPositions({ type: 'root', children }),
  };
}

function linkPages(node) {
  if (node.type !== 'element') return;
  if (node.tagName === 'a') {
    const href = String(node.properties['href'] ?? '');
    const target = pageOf(href);
    if (target === undefined) {
      node.tagName = 'span';
      node.properties = {};
    } else node.properties['href'] = target;
  }
  for (const child of node.children) linkPages(child);
}

export function pageOf(href) {
  if (/^(?:https?:|#|\/)/.test(href)) return href;
  const [, name = '', anchor = ''] = /^([a-z-]+\.md)(#.*)?$/.exec(href) ?? [];
  if (name === '') return undefined;
  if (name === 'rules.md' || name === 'paths.md') return ELSEWHERE[name];
  const file = name === 'api.md' ? RENAMED[name] : name;
  return `/docs/${file.slice(0, -'.md'.length)}${anchor}`;
}

function textOf(node) {
  if (node.type === 'text') return node.value.replaceAll('\n', ' ');
  if (node.type !== 'element') return '';
  const text = node.children.map(textOf).join('');
  return /^(?:li|p|td|th|tr|pre)$/.test(node.tagName) ? `${text} ` : text;
}

function withoutPositions(tree) {
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === 'position' ? undefined : value)));
}
