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

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#x27;').replaceAll('<', '&lt;');
}

export function linkedIds(html: string, folder: string): string[] {
  return [...html.matchAll(new RegExp(`href="/${folder}/([a-z0-9-]+)"`, 'g'))].map(([, id = '']) => id);
}
