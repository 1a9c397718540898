import { renderMarkdown } from './render-markdown.mjs';

export default function load(source) {
  return `export default ${JSON.stringify(renderMarkdown(source))};`;
}
