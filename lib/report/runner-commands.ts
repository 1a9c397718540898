import { HIDDEN, nameOf, oneLine } from './visible.ts';

/** Leading whitespace as .NET trims it, which the runner of GitHub Actions is written in. */
const COMMAND = /^([\t\v\f \u0085\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\uFEFF]*):(?=:)/gm;
const MARK = /##(?=\w*\[)/g;

/**
 * Spells out what would make a line of a log a command to the CI runner: `::` at its start, and `##[`, `##vso[` or
 * `##teamcity[` anywhere. https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
 */
export function withoutCommands(output: string): string {
  return output.replace(COMMAND, `$1${nameOf(':')}`).replace(MARK, `#${nameOf('#')}`);
}

/** Returns a sentence with words of others as a line of a log. */
export function logLine(text: string): string {
  return withoutCommands(oneLine(text));
}

/** Returns indented JSON without commands and with hidden characters escaped; parsed, it is the same value. */
export function printableJson(value: unknown, indent: number): string {
  const text = JSON.stringify(value, null, indent)
    .replace(HIDDEN, escaped)
    .replace(MARK, `#${escaped('#')}`);
  return `${text}\n`;
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
