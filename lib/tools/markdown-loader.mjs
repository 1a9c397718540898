import { renderMarkdown } from './render-markdown.mjs';

/**
 * @param {string} source
 * @returns {string}
 */
// Bundlers take the default export.
// oxlint-disable-next-line import/no-default-export
export default function load(source) {
  return `export default ${JSON.stringify(renderMarkdown(source))};`;
}
