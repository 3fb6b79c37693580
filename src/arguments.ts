// What may stand behind `edge-control`: the commands, their flags and the help, from the table of
// settings.

import { Command, CommanderError } from 'commander';
import { isSetting, type Setting } from './setting.ts';
import { locations, settings } from './settings.ts';

/** A command with its flags by key, or what to print instead and the exit code to end with. */
export type Arguments =
  | { readonly command: 'init' | 'run'; readonly flags: Readonly<Record<string, string>> }
  | { readonly command: 'version' }
  | {
      readonly command: 'none';
      readonly out: string;
      readonly err: string;
      readonly exitCode: number;
    };

/** Exit codes of every command. */
export const exitCodes = { stopped: 0, failed: 1, notStarted: 2 } as const;

/** The same for people. */
export const exitCodesText = `\
- 0: done, or stopped cleanly by SIGTERM or SIGINT
- 1: failed while running, or a second signal came before the stop was done
- 2: could not start: wrong flags or settings, an unreadable or locked home, a port in use`;

const exitCodesHelp = `\nExit codes:\n${exitCodesText}`;

/** Reads the words behind the program's name. */
export function readArguments(words: readonly string[]): Arguments {
  let out = '';
  let err = '';
  let read: Arguments | undefined;
  const program = new Command('edge-control')
    .description('The controller of a zero-trust overlay network.')
    .addHelpText('after', exitCodesHelp)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        out += text;
      },
      writeErr: (text) => {
        err += text;
      },
      outputError: (text, write) => write(sentence(text)),
    });
  const both = [
    ['run', 'Serve until SIGTERM or SIGINT; an empty home is initialised first.'],
    ['init', 'Initialise an empty home: keys, system records, the administrator.'],
  ] as const;
  for (const [command, description] of both) {
    withFlags(program.command(command).description(description))
      .addHelpText('after', exitCodesHelp)
      .action((flags: Record<string, string>) => {
        read = { command, flags };
      });
  }
  program
    .command('version')
    .description('Print the release.')
    .action(() => {
      read = { command: 'version' };
    });
  try {
    program.parse(words, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const exitCode = thrown.exitCode === 0 ? exitCodes.stopped : exitCodes.notStarted;
    return { command: 'none', out, err, exitCode };
  }
  return read ?? { command: 'none', out, err, exitCode: exitCodes.notStarted };
}

function withFlags(command: Command): Command {
  const all: readonly Setting<unknown>[] = [
    ...Object.values(locations),
    ...Object.values<object>(settings).filter(isSetting),
  ];
  for (const { flag, doc, environment, defaultDoc, default: value } of all) {
    if (flag === undefined) continue;
    const from = environment === undefined ? '' : `environment: ${environment}, `;
    const sources = `${from}default: ${defaultDoc ?? String(value)}`;
    command.option(flag, `${doc} (${sources})`);
  }
  return command;
}

/** Commander's complaint as one line in our name. */
function sentence(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replaceAll('\n', ' ');
  return `edge-control: ${line}; see edge-control --help\n`;
}
