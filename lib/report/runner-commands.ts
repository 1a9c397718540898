import { HIDDEN, nameOf, oneLine } from './visible.ts';

/** White space that .NET trims, since the Actions runner is a .NET program. */
const COMMAND = /^([\t\v\f \u0085\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\uFEFF]*):(?=:)/gm;
const MARK = /##(?=\w*\[)/g;

/**
 * Neutralizes commands to CI runners: `::` at the start of a line, and `##[`, `##vso[` or `##teamcity[` anywhere.
 * https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
 */
export function withoutCommands(output: string): string {
  return output.replace(COMMAND, `$1${nameOf(':')}`).replace(MARK, `#${nameOf('#')}`);
}

/** Formats a sentence with untrusted text as one log line. */
export function logLine(text: string): string {
  return withoutCommands(oneLine(text));
}

/** Returns indented JSON without runner commands and hidden characters; it parses to the same value. */
export function printableJson(value: unknown, indent: number): string {
  const text = JSON.stringify(value, null, indent)
    .replace(HIDDEN, escaped)
    .replace(MARK, `#${escaped('#')}`);
  return `${text}\n`;
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
