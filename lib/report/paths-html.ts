import { combinationUrl, ruleUrl } from './links.ts';
import { coverText, groupPaths, type PathGroup, placeOf } from './path-groups.ts';
import type { PathsReport } from './paths-report.ts';
import { pathOf } from './report.ts';
import { withoutCommands } from './runner-commands.ts';
import { oneLine } from './visible.ts';

const MAX_GROUPS = 200;
const MAX_PLACES = 20;

/** One HTML file without scripts, which loads nothing. */
export function pathsToHtml(report: PathsReport): string {
  const groups = groupPaths(report.paths);
  const cover = coverText(report);
  const body = [
    '<header><h1>Attack paths</h1>',
    `<p>${report.paths.length === 0 ? 'No attack paths found.' : `${report.paths.length} found${cover === undefined ? '' : `. Fix first: ${cover}`}.`}</p></header>`,
    ...firstFixes(report),
    ...groups.slice(0, MAX_GROUPS).map(section),
    groups.length > MAX_GROUPS ? `<p>and ${groups.length - MAX_GROUPS} more</p>` : '',
    `<footer>chainbreak ${escape(report.version)}</footer>`,
  ];
  return withoutCommands(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Attack paths</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`);
}

function firstFixes({ fixFirst }: PathsReport): string[] {
  if (fixFirst.length === 0) return [];
  const items = fixFirst.slice(0, MAX_PLACES).map(({ finding, breaks }) => {
    const at = `${pathOf(finding)}${finding.line === null ? '' : `:${finding.line}`}`;
    return `<li><a href="${ruleUrl(finding.ruleId)}">${escape(finding.ruleId)}</a> <code>${escape(at)}</code> ${breaks === 0 ? 'with others' : `ends ${breaks}`}</li>`;
  });
  return ['<h2>Fix first</h2>', `<ol class="fixes">${items.join('')}</ol>`];
}

function section({ first, paths }: PathGroup): string {
  const places = paths.slice(0, MAX_PLACES).map((path) => `<code>${escape(placeOf(path))}</code>`);
  const more = paths.length > MAX_PLACES ? ` and ${paths.length - MAX_PLACES} more` : '';
  const steps = first.stages.map(({ title, description, ruleId }, order) => {
    const found = paths.flatMap(({ stages, findings }) => {
      const wanted = new Set(stages[order]?.fingerprints);
      return findings
        .filter(({ fingerprint }) => wanted.has(fingerprint))
        .map((finding) => `${pathOf(finding)}${finding.line === null ? '' : `:${finding.line}`}`);
    });
    const at = [...new Set(found)].slice(0, MAX_PLACES).map((place) => `<code>${escape(place)}</code>`);
    const rule = ruleId === null ? '' : ` <a href="${ruleUrl(ruleId)}">${escape(ruleId)}</a>`;
    return `<li class="${ruleId === null ? 'fact' : 'finding'}"><strong>${escape(title)}</strong>${rule}<p>${escape(description)}</p>${at.join(' ')}</li>`;
  });
  const less = first.mitigatedBy.map((reason) => `<p class="less">Less severe here: ${escape(reason)}</p>`);
  return `<section class="${first.severity.toLowerCase()}">
<h2><span class="badge">${first.severity}</span> <a href="${combinationUrl(first.comboId)}">${escape(first.title)}</a></h2>
<p class="places">${places.join(', ')}${more}</p>
<ol class="chain">${steps.join('')}<li class="impact"><strong>${escape(first.impact)}</strong></li></ol>
${less.join('')}<p class="break"><strong>Break it:</strong> ${escape(first.breakChain).replace(/`([^`]+)`/g, '<code>$1</code>')} <a href="${ruleUrl(first.breakChainRule)}">${escape(first.breakChainRule)}</a></p>
</section>`;
}

function escape(text: string): string {
  return oneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d0d7de, #30363d); --dim: light-dark(#59636e, #9198a1);
  --bad: light-dark(#b62324, #ff7b72); --good: light-dark(#1a7f37, #7ee787); --link: light-dark(#0969da, #79c0ff); }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem; }
a { color: var(--link); }
code { font: 0.85em ui-monospace, monospace; overflow-wrap: anywhere; }
section { border: 1px solid var(--line); border-left-width: 6px; border-radius: 8px; padding: 0 1rem; margin: 1.5rem 0; }
.critical, .high { border-left-color: var(--bad); }
h1 { margin: 0; } h2 { font-size: 1.15rem; }
.badge { font-size: 0.75rem; padding: 0.1rem 0.4rem; border: 1px solid currentColor; border-radius: 4px; }
.critical .badge, .high .badge { color: var(--bad); }
.places, .less, .chain p, footer { color: var(--dim); } .chain p { margin: 0.2rem 0; }
.chain { list-style: none; padding: 0; margin: 0; }
.chain li { border-left: 2px solid var(--line); padding: 0 0 0.8rem 1rem; margin-left: 0.5rem; position: relative; }
.chain li::before { content: ""; position: absolute; left: -7px; top: 0.4rem; width: 10px; height: 10px; border-radius: 50%;
  border: 1px solid var(--dim); background: light-dark(#fff, #0d1117); }
.chain li.finding::before { background: var(--dim); } .chain li.impact::before { background: var(--bad); }
.break strong { color: var(--good); }
`;
