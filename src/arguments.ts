// The arguments of `edge-control`: the commands, their flags and the help, from the table of
// settings.

import { Command, CommanderError } from 'commander';
import { restoreFlags, restoreHelp } from './backup/restore-order.ts';
import { type FlagRow, snapshotFlags, snapshotHelp } from './backup/snapshot-order.ts';
import { logFlags } from './offline/log-order.ts';
import { isSetting, type Setting } from './setting.ts';
import { locations, settings } from './settings.ts';

/** A command with its flags by key, or what to print instead and the exit code to end with. */
export type Arguments =
  | { readonly command: 'init' | 'run'; readonly flags: Readonly<Record<string, string>> }
  | {
      readonly command: 'log' | 'check';
      readonly flags: Readonly<Record<string, string | true>>;
    }
  | { readonly command: 'admin reset'; readonly flags: Readonly<Record<string, string | true>> }
  | { readonly command: 'snapshot'; readonly flags: Readonly<Record<string, string | true>> }
  | {
      readonly command: 'restore';
      readonly file: string;
      readonly flags: Readonly<Record<string, string | true>>;
    }
  | { readonly command: 'version' }
  | {
      readonly command: 'none';
      readonly out: string;
      readonly err: string;
      readonly exitCode: number;
    };

/** Exit codes of every command. */
export const exitCodes = { stopped: 0, failed: 1, notStarted: 2 } as const;

/** The same as text for the help. */
export const exitCodesText = `\
- 0: done, or stopped cleanly by SIGTERM or SIGINT
- 1: failed while running, or a second signal came before the stop was done
- 1 of check and log: something is wrong with the home
- 1 of admin reset: it was refused, and nothing was changed
- 2: could not start: wrong flags or settings, an unreadable or locked home, a port in use`;

const exitCodesHelp = `\nExit codes:\n${exitCodesText}`;

/** Reads the arguments after the program's name. */
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
  const tools = [
    ['log', 'Show the frames of the log as JSON lines, without secrets.', logFlags],
    ['check', 'Check that everything in a home is whole. Changes nothing.', []],
  ] as const;
  for (const [command, description, options] of tools) {
    const tool = program.command(command).description(description);
    for (const [flag, doc] of [homeOption(), ...options]) tool.option(flag, doc);
    tool.addHelpText('after', exitCodesHelp).action((flags: Record<string, string | true>) => {
      read = { command, flags };
    });
  }
  addBackups(program, (backup) => {
    read = backup;
  });
  addAdmin(program, (flags) => {
    read = { command: 'admin reset', flags };
  });
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

function addBackups(program: Command, take: (read: Arguments) => void): void {
  const own = [locations.home, locations.config, settings.listen, settings.advertise];
  const snapshot = program
    .command('snapshot')
    .description('Take a snapshot of a home, running or stopped; with --output, a backup of it.');
  addFlags(snapshot, [...own.map(optionOf), ...snapshotFlags]);
  snapshot.addHelpText('after', snapshotHelp).addHelpText('after', exitCodesHelp);
  snapshot.action((flags: Record<string, string | true>) => take({ command: 'snapshot', flags }));
  const restore = program
    .command('restore')
    .description('Make a home of a backup or a snapshot, in an empty place.')
    .argument('<file>', 'A backup (directory), or a snapshot.');
  addFlags(restore, [homeOption(), ...restoreFlags]);
  restore.addHelpText('after', restoreHelp).addHelpText('after', exitCodesHelp);
  restore.action((file: string, flags: Record<string, string | true>) => {
    take({ command: 'restore', file, flags });
  });
}

type Flags = Readonly<Record<string, string | true>>;

function addAdmin(program: Command, take: (flags: Flags) => void): void {
  const reset = program
    .command('admin')
    .description('Help an administrator who cannot log in.')
    .command('reset')
    .description('Set a new password and let the administrator in again. Running or stopped.');
  addFlags(reset, [
    ...[locations.home, locations.config].map(optionOf),
    ['--username <name>', 'The user name of another administrator than the default one.'],
    ['--remove-mfa', 'Remove MFA, too.'],
  ]);
  reset.addHelpText('after', adminResetHelp).addHelpText('after', exitCodesHelp);
  reset.action((flags: Flags) => take(flags));
}

const adminResetHelp = `
The new password is asked for at a terminal, and else read from standard input. The administrator
is enabled, has the default auth policy, and all of his API sessions end. Where the default auth
policy forbids passwords, it allows them from then on.

A running controller is asked by a socket in <home>/run that only the owner of the home can open.`;

function addFlags(command: Command, rows: readonly FlagRow[]): void {
  for (const [flag, doc] of rows) command.option(flag, doc);
}

function homeOption(): FlagRow {
  return optionOf(locations.home);
}

/** A setting's flag, with the other sources of its value. */
function optionOf({ flag = '', doc, environment, defaultDoc, ...rest }: Setting<unknown>): FlagRow {
  const from = environment === undefined ? '' : `environment: ${environment}, `;
  return [flag, `${doc} (${from}default: ${defaultDoc ?? String(rest.default)})`];
}

function withFlags(command: Command): Command {
  const all: readonly Setting<unknown>[] = [
    ...Object.values(locations),
    ...Object.values<object>(settings).filter(isSetting),
  ];
  addFlags(command, all.filter(({ flag }) => flag !== undefined).map(optionOf));
  return command;
}

/** Commander's error message as one line with our program's name. */
function sentence(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replaceAll('\n', ' ');
  return `edge-control: ${line}; see edge-control --help\n`;
}
