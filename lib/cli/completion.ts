import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, program: Command, ruleIds: readonly string[]): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options, ...program.options].flatMap((option) =>
      option.long === undefined || option.long === null
        ? []
        : [{ flag: option.long, description: option.description, choices: option.argChoices ?? [] }],
    ),
    words: command.name() === 'explain' ? ruleIds : command.name() === 'completion' ? SHELLS : [],
  }));
  const names = commands.map(({ name }) => name).join(' ');
  if (shell === 'fish') {
    const lines = ['complete -c chainbreak -f'];
    for (const { name, description, options, words } of commands) {
      lines.push(`complete -c chainbreak -n __fish_use_subcommand -a ${name} -d ${quote(description)}`);
      const inside = `-n '__fish_seen_subcommand_from ${name}'`;
      for (const { flag, description: text, choices } of options) {
        const values = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : '';
        lines.push(`complete -c chainbreak ${inside} -l ${flag.slice(2)} -d ${quote(text)}${values}`);
      }
      if (words.length > 0) lines.push(`complete -c chainbreak ${inside} -a ${quote(words.join(' '))}`);
      else if (name === 'scan' || name === 'fix') lines.push(`complete -c chainbreak ${inside} -F`);
    }
    return `${lines.join('\n')}\n`;
  }
  const cases = commands.map(({ name, options, words }) => {
    const flags = options.map(({ flag }) => flag).join(' ');
    return `    ${name}) words=${quote([flags, ...words].join(' '))} ;;`;
  });
  const values = new Map<string, Set<string>>();
  for (const { options } of commands) {
    for (const { flag, choices } of options) {
      if (choices.length > 0) values.set(flag, new Set([...(values.get(flag) ?? []), ...choices]));
    }
  }
  const valueCases = [...values].map(([flag, choices]) => `    ${flag}) words=${quote([...choices].join(' '))} ;;`);
  const body = `_chainbreak() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  case "$previous" in
${valueCases.join('\n')}
    *) case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words=${quote(names)} ;;
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _chainbreak chainbreak
`;
  return shell === 'bash' ? body : `autoload -U +X bashcompinit && bashcompinit\n${body}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
