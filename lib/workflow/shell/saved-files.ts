import type { ShellCommand } from './shell.ts';

export function savedFile({ program, args, redirects }: ShellCommand, url?: string): string | undefined {
  const base = url
    ?.replace(/[?#][\s\S]*/, '')
    .split('/')
    .at(-1);
  const long = args.find(({ value }) => /^--output(?:-document)?=/.test(value))?.value.replace(/^[^=]*=/, '');
  const at = args.findIndex(({ value }) =>
    program === 'curl'
      ? value === '--output' || /^-[a-zA-Z#]*o$/.test(value)
      : value === '--output-document' || /^-[a-zA-Z]*O$/.test(value),
  );
  const glued = program === 'wget' && args.some(({ value }) => /^-[a-zA-Z]*O-$/.test(value)) ? '-' : undefined;
  const named = long ?? (at === -1 ? glued : args[at + 1]?.value);
  if (named === '-' || named === '/dev/stdout') return redirectFile(redirects);
  if (named !== undefined) return named;
  if (program === 'wget') return base;
  return args.some(({ value }) => value === '--remote-name' || /^-[a-zA-NP-Z#]*O[a-zA-Z#]*$/.test(value))
    ? base
    : redirectFile(redirects);
}

export function redirectFile(redirects: ShellCommand['redirects']): string | undefined {
  return redirects.find(
    ({ operator, target }) => operator === '>' && target !== undefined && !/^\d$/.test(target.value),
  )?.target?.value;
}
