import { Argument, type Command } from 'commander';
import { print, type Terminal } from './terminal.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** `steno completion`: a script that completes verbs, options and the values of options in a shell. */
export const addCompletion = (program: Command, terminal: Terminal): void => {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'eval "$(steno completion bash)" turns it on').choices(shells))
    .action((shell: Shell) => print(terminal, scripts[shell](nodesOf(program, '')).trimEnd()));
};

/** One verb, by its words with spaces between; empty: none yet. */
type Node = {
  readonly path: string;
  readonly verbs: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly {
    readonly flags: readonly string[];
    readonly about: string;
    readonly takesValue: boolean;
    readonly choices: readonly string[];
  }[];
  /** Of the first argument. */
  readonly choices: readonly string[];
};

const nodesOf = (command: Command, path: string): readonly Node[] => {
  const help = command.createHelp();
  const verbs = help.visibleCommands(command).filter((verb) => verb.name() !== 'help');
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const node: Node = {
    path,
    verbs: verbs.map((verb) => ({ name: verb.name(), about: verb.description() })),
    options: options.map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag != null),
      about: option.description,
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [node, ...verbs.flatMap((verb) => nodesOf(verb, `${path} ${verb.name()}`.trim()))];
};

/** The words of a path and one more, as the scripts join them. */
const joined = (path: string, word: string): string => `${path} ${word}`.trim();

/** Verbs, flags and choices are letters, digits, `-` and `_`; only descriptions need care. */
const bash = (nodes: readonly Node[]): string => {
  const paths = nodes.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]));
  const values = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ flags, choices }) => {
        const patterns = flags.map((flag) => `'${joined(path, flag)}'`).join('|');
        return `    ${patterns}) takes=1 values='${choices.join(' ')}' ;;`;
      }),
  );
  const words = nodes.map(({ path, verbs, options, choices }) => {
    const names = [...verbs.map(({ name }) => name), ...choices].join(' ');
    const flags = options.flatMap((option) => option.flags).join(' ');
    return `    '${path}') words='${names}' flags='${flags}' ;;`;
  });
  return `_steno() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  local path='' words='' flags='' values='' takes='' index next
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${path:+$path }\${COMP_WORDS[index]}"
    case "$next" in
    ${paths.join('|')}) path="$next" ;;
    esac
  done
  case "\${path:+$path }$prev" in
${values.join('\n')}
  esac
  case "$path" in
${words.join('\n')}
  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
  elif [[ -n $takes ]]; then
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -o default -F _steno steno
`;
};

/** zsh runs completions of bash. */
const zsh = (nodes: readonly Node[]): string => `autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bash(nodes)}`;

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;

const fish = (nodes: readonly Node[]): string => {
  const paths = nodes.flatMap(({ path }) => (path === '' ? [] : [quoted(path)]));
  const lines = nodes.flatMap(({ path, verbs, options, choices }) => {
    const at = `complete -c steno -n ${quoted(`__steno_at ${quoted(path)}`)}`;
    return [
      ...verbs.map(({ name, about }) => `${at} -f -a ${name} -d ${quoted(about)}`),
      ...(choices.length === 0 ? [] : [`${at} -f -a ${quoted(choices.join(' '))}`]),
      ...options.map(({ flags, about, takesValue, choices: values }) => {
        const named = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
        const value = values.length > 0 ? `-x -a ${quoted(values.join(' '))}` : takesValue ? '-r' : '';
        return [at, ...named, value, '-d', quoted(about)].filter((part) => part !== '').join(' ');
      }),
    ];
  });
  return `function __steno_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    contains -- $next ${paths.join(' ')}; and set path $next
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
};

const scripts: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = { bash, zsh, fish };
