import { execFileSync } from 'node:child_process';

const FOLDER = 'tests/fixtures/repositories/storefront';
const WIDTH = 100;
const CHARACTER = 8.43;
const LINE = 18;
const PADDING = 18;

const COLORS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  36: '#76e3ea',
  90: '#8b949e',
};
const GROUNDS: Readonly<Record<string, string>> = { 41: '#b62324', 43: '#9e6a03', 44: '#1f6feb', 7: '#6e7681' };

interface Style {
  color?: string;
  ground?: string;
  bold?: boolean;
  dim?: boolean;
}

export function terminalPicture(): string {
  const command = 'chainbreak scan';
  const output = execFileSync(
    process.execPath,
    [`${process.cwd()}/dist/cli.mjs`, 'scan', '--fail-on', 'never', '--min-severity', 'high'],
    {
      cwd: FOLDER,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '', FORCE_COLOR: '1' },
    },
  );
  const lines = [`\u001B[90m$\u001B[39m ${command}`, '', ...output.trimEnd().split('\n')];
  const width = Math.round(WIDTH * CHARACTER + 2 * PADDING);
  const height = lines.length * LINE + 2 * PADDING;
  const rows = lines.map((line, index) => row(line, PADDING + (index + 0.75) * LINE));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Output of chainbreak scan">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`;
}

function row(line: string, y: number): string {
  const style: Style = {};
  let column = 0;
  let drawn = '';
  for (const part of line.split(/(\u001B\[[\d;]*m)/)) {
    const codes = /^\u001B\[([\d;]*)m$/.exec(part)?.[1];
    if (codes !== undefined) {
      for (const code of codes.split(';')) apply(style, code);
      continue;
    }
    if (part === '') continue;
    const x = PADDING + column * CHARACTER;
    const width = part.length * CHARACTER;
    if (style.ground !== undefined) {
      drawn += `<rect x="${x.toFixed(1)}" y="${(y - LINE * 0.75).toFixed(1)}" width="${width.toFixed(1)}" height="${LINE}" fill="${style.ground}"/>`;
    }
    const text = part.trim();
    if (text !== '') {
      const from = PADDING + (column + part.indexOf(text)) * CHARACTER;
      const fill = style.color ?? (style.dim === true ? '#8b949e' : undefined);
      const attributes = [
        `x="${from.toFixed(1)}" y="${y.toFixed(1)}"`,
        `textLength="${(text.length * CHARACTER).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`,
        ...(fill === undefined ? [] : [`fill="${fill}"`]),
        ...(style.bold === true ? ['font-weight="bold"'] : []),
      ];
      drawn += `<text ${attributes.join(' ')}>${escapeXml(text)}</text>`;
    }
    column += part.length;
  }
  return drawn;
}

function apply(style: Style, code: string): void {
  if (code === '0' || code === '')
    Object.assign(style, { color: undefined, ground: undefined, bold: false, dim: false });
  else if (code === '1') style.bold = true;
  else if (code === '2') style.dim = true;
  else if (code === '22') Object.assign(style, { bold: false, dim: false });
  else if (code === '39') delete style.color;
  else if (code === '49' || code === '27') delete style.ground;
  else if (COLORS[code] !== undefined) style.color = COLORS[code];
  else if (GROUNDS[code] !== undefined) style.ground = GROUNDS[code];
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
