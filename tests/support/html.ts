/** Returns what a visitor reads of a page: no scripts, no markup. */
export function textOf(html: string): string {
  return html
    .replace(/<script\b[^]*?<\/script>/g, '')
    .replace(/<[^>]+>/g, '')
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Returns text as React writes it into a page. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;').replaceAll('<', '&lt;');
}

/** Returns the ids that a page links to below a folder, in order. */
export function linkedIds(html: string, folder: string): string[] {
  return [...html.matchAll(new RegExp(`href="/${folder}/([a-z0-9-]+)"`, 'g'))].map(([, id = '']) => id);
}
