// Completion for bash, zsh and fish. Commands of this machine and their flags are in the scripts,
// from the table of commands; what follows a command of the network is asked from the program.

/** A command as completion knows it. */
export interface CompletedCommand {
  /** `cluster init`; empty for the program itself. */
  readonly path: string;
  readonly doc: string;
  readonly flags: readonly CompletedFlag[];
  /** Words that its argument takes, if they are known. */
  readonly words: readonly string[];
  /** Whether the program itself says what may follow (`network/kinds/completed-words.ts`). */
  readonly isAsked: boolean;
}

/** A flag as completion knows it. */
export interface CompletedFlag {
  /** `--home`. */
  readonly long: string;
  readonly takesValue: boolean;
  readonly doc: string;
}

/** Shells that have a script. */
export const completedShells = ['bash', 'zsh', 'fish'] as const;

/** One of them. */
export type CompletedShell = (typeof completedShells)[number];

/** The script that the shell reads at its start. */
export function completionScript(
  shell: CompletedShell,
  commands: readonly CompletedCommand[],
): string {
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      return zshScript(commands);
    case 'fish':
      return fishScript(commands);
  }
}

function bashScript(commands: readonly CompletedCommand[]): string {
  return `# Completion for bash: source <(edge-control completion bash)
_edge_control() {
  local current=\${COMP_WORDS[COMP_CWORD]} at= index words= word asked=()
  if ((COMP_CWORD > 1)); then
    case "\${COMP_WORDS[1]}" in
      ${askedPattern(commands)})
        # bash takes "=" for a word of its own, and leaves quotes where they were typed.
        for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
          [ "$word" = = ] || asked+=("\${word//[\\\\\\"\\']/}")
        done
        [ "$current" = = ] && current= asked+=('')
        COMPREPLY=()
        while IFS= read -r word; do
          [[ "$word" == --* ]] && word=\${word%% *}
          [[ "$current" == [\\"\\']* ]] || printf -v word %q "$word"
          COMPREPLY+=("$word")
        done < <("\${COMP_WORDS[0]}" __complete "\${asked[@]}" 2>/dev/null)
        return
        ;;
    esac
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at \${COMP_WORDS[index]}" in
      ${pathPattern(commands)}) at+=" \${COMP_WORDS[index]}" ;;
    esac
  done
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
    ${valuePattern(commands)}) return ;;
  esac
  case "$at" in
${cases(commands, '    ', (words) => `words='${words.join(' ')}'`)}
  esac
  # shellcheck disable=SC2207
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _edge_control edge-control
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef edge-control
# Completion for zsh: source <(edge-control completion zsh), or a file _edge-control in $fpath
_edge_control() {
  local at= word
  local -a found
  if (( CURRENT > 2 )); then
    case "\${words[2]}" in
      (${askedPattern(commands)})
        for word in "\${(@f)$("\${words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
          [[ "$word" == --* ]] && word=\${word%% *}
          [[ -n "$word" ]] && found+=("$word")
        done
        if (( \${#found} )); then compadd -- "\${(@)found}"; else _files; fi
        return
        ;;
    esac
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${pathPattern(commands)}) at+=" $word" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
    (${valuePattern(commands)}) _files; return ;;
  esac
  case "$at" in
${cases(commands, '    ', (words) => `compadd -- ${words.join(' ')}`, '(')}
  esac
  [[ "$PREFIX" == -* ]] || _files
}
if [ "$funcstack[1]" = "_edge_control" ] || [ "$funcstack[1]" = "_edge-control" ]; then
  _edge_control "$@"
else
  compdef _edge_control edge-control
fi
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const asked = commands.filter(({ isAsked }) => isAsked).map(({ path }) => path);
  const lines = unasked(commands).flatMap((command) => {
    const at = command.path === '' ? '' : ` ${command.path}`;
    const start = `complete -c edge-control -n "__edge_control_at '${at}'"`;
    const named = below(commands, command).map(
      ({ path, doc }) => `${start} -f -a ${last(path)} -d ${quoted(doc)}`,
    );
    const words = command.words.map((word) => `${start} -f -a ${word}`);
    const flags = command.flags.map(
      ({ long, takesValue, doc }) =>
        `${start} -l ${long.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(doc)}`,
    );
    return [...named, ...words, ...flags];
  });
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `' ${path}'`);
  return `# Completion for fish: edge-control completion fish | source
function __edge_control_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${paths.join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
function __edge_control_asked
  set -l typed (commandline -opc) (commandline -ct)
  $typed[1] __complete $typed[2..-1] 2>/dev/null | string replace -r '^(--\\S+) ' '$1\\t'
end
complete -c edge-control -n '__fish_seen_subcommand_from ${asked.join(' ')}' -a '(__edge_control_asked)'
${lines.join('\n')}
`;
}

/** The arms of a `case` that give each command its words. */
function cases(
  commands: readonly CompletedCommand[],
  indent: string,
  take: (words: readonly string[]) => string,
  opening = '',
): string {
  const arms = unasked(commands).map((command) => {
    const at = command.path === '' ? '' : ` ${command.path}`;
    const words = below(commands, command).map(({ path }) => last(path));
    const flags = command.flags.map(({ long }) => long);
    return `${indent}${opening}'${at}') ${take([...words, ...command.words, ...flags])} ;;`;
  });
  return arms.join('\n');
}

function pathPattern(commands: readonly CompletedCommand[]): string {
  return unasked(commands)
    .filter(({ path }) => path !== '')
    .map(({ path }) => `' ${path}'`)
    .join(' | ');
}

/** Commands of which the scripts know all words. */
function unasked(commands: readonly CompletedCommand[]): readonly CompletedCommand[] {
  return commands.filter(({ isAsked }) => !isAsked);
}

function askedPattern(commands: readonly CompletedCommand[]): string {
  const asked = commands.filter(({ isAsked }) => isAsked);
  return asked.map(({ path }) => path).join(' | ');
}

function valuePattern(commands: readonly CompletedCommand[]): string {
  const flags = unasked(commands).flatMap((command) => command.flags);
  const names = flags.filter(({ takesValue }) => takesValue).map(({ long }) => long);
  return [...new Set(names)].join(' | ');
}

/** The commands directly below another one. */
function below(
  commands: readonly CompletedCommand[],
  { path: parent }: CompletedCommand,
): readonly CompletedCommand[] {
  const start = parent === '' ? '' : `${parent} `;
  return commands.filter(
    ({ path }) => path !== '' && path.startsWith(start) && path === start + last(path),
  );
}

function last(path: string): string {
  return path.split(' ').at(-1) ?? path;
}

/** A word of fish. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
