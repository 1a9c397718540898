export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HTML = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

export function page(status: number, content: string): PageAnswer {
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Local code host</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.4rem .8rem}pre{overflow-x:auto;padding:.5rem;border:1px solid #8888;font-size:.8rem}pre i{display:inline-block;width:3rem;font-style:normal;opacity:.6}pre span:target{background:#fe86}.text{white-space:pre-wrap;overflow-wrap:anywhere}</style>
${content}</html>\n`;
  return { status, headers: HTML, body };
}

export function redirect(location: string): PageAnswer {
  return { status: 303, headers: { location }, body: '' };
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
