import { renderMarkdown } from './render-markdown.mjs';

/**
 * @param {string} source
 * @returns {string}
 */
export default function load(source) {
  return `export default ${JSON.stringify(renderMarkdown(source))};`;
}
