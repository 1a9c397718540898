import type { Step } from '../model/model.ts';
import { MAX_RELATED_COMMANDS } from '../text/limits.ts';
import type { Span } from '../text/source.ts';
import { offsetInScalar } from '../yaml/parse.ts';
import { commandsOf, type ShellCommand, shellOf } from './shell.ts';

const INTERPRETERS: ReadonlySet<string> = new Set([
  'bash',
  'sh',
  'zsh',
  'dash',
  'ash',
  'ksh',
  'python',
  'python2',
  'python3',
  'node',
  'perl',
  'ruby',
  'php',
  'pwsh',
]);

const DECODED_AND_RUN: readonly RegExp[] = [
  /-e(?:nc|ncodedcommand)?\s+['"]?[a-z\d+/]{40,}={0,2}/i,
  /(?:\biex\b|invoke-expression)[^\n]{0,200}frombase64string/i,
  /frombase64string[^\n]{0,200}(?:\biex\b|invoke-expression)/i,
  /\b(?:exec|eval)\s*\(\s*(?:__import__\(\s*['"]base64['"]\s*\)|base64|zlib|codecs|marshal)\./,
  /\beval\s*\(\s*(?:atob\(|Buffer\.from\()/,
];

export interface DecodedCode {
  readonly span: Span;
  readonly literal: boolean;
}

export function decodedCodeIn(step: Step): DecodedCode[] {
  const { run } = step;
  if (
    run === undefined ||
    !/base64|base32|xxd|\bopenssl\b|\\x|\brev\b|\beval\b|-e(?:nc|ncodedcommand)?\s/i.test(run.value)
  )
    return [];
  const found: DecodedCode[] = [];
  const commands = commandsOf(step).slice(0, MAX_RELATED_COMMANDS);
  for (const command of commands) {
    const feeding = feedingInto(command, commands);
    const decoder = feeding.find(isDecoder);
    if (decoder === undefined) continue;
    const literal = feeding.every(({ words }) => words.every((word) => word.literal || holdsOnlyCommands(word.value)));
    found.push({ span: command.span, literal });
  }
  if (shellOf(step) !== 'posix' || found.length === 0) {
    for (const pattern of DECODED_AND_RUN) {
      const match = pattern.exec(run.value);
      if (match === null || (pattern === DECODED_AND_RUN[0] && !/powershell|pwsh/i.test(run.value))) continue;
      const end = offsetInScalar(run.node, match.index + match[0].length - 1) + 1;
      found.push({ span: { start: offsetInScalar(run.node, match.index), end }, literal: true });
      break;
    }
  }
  return found;
}

function feedingInto(command: ShellCommand, commands: readonly ShellCommand[]): ShellCommand[] {
  const { program, args, pipeline } = command;
  const substituted = (): ShellCommand[] => commands.filter(({ within }) => within === command);
  if (program === 'eval' || program === 'source' || program === '.') return substituted();
  if (!INTERPRETERS.has(program)) return [];
  const flags = args.map(({ value }) => value);
  if (flags.some((flag) => /^-[a-z]*[ce]$/.test(flag))) return substituted();
  const named = flags.some((flag) => !flag.startsWith('-') && flag !== '/dev/stdin');
  const reads = flags.includes('-s') || flags.includes('-') || !named;
  return [...(reads ? pipeline.slice(0, pipeline.indexOf(command)) : []), ...substituted()];
}

function isDecoder({ program, args }: ShellCommand): boolean {
  const flags = args.map(({ value }) => value);
  if (program === 'base64' || program === 'base32')
    return flags.some((flag) => /^(?:-d|-D|--decode|-di|-id)$/.test(flag));
  if (program === 'xxd') return flags.some((flag) => /^-[a-z]*r/.test(flag));
  if (program === 'openssl')
    return flags.includes('-d') && flags.some((flag) => flag === 'enc' || flag.includes('base64'));
  if (program === 'rev') return true;
  return (program === 'echo' || program === 'printf') && flags.some((flag) => /(?:\\x[\da-f]{2}){4}/i.test(flag));
}

function holdsOnlyCommands(value: string): boolean {
  return value.startsWith('$(') && value.endsWith(')');
}
