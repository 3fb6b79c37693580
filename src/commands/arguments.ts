// The arguments of `edge-control`: the commands, their flags and the help, from the table of
// settings.

import { Argument, Command, CommanderError } from 'commander';
import { version } from '../platform/version.ts';
import { isSetting, type Setting } from '../settings/setting-type.ts';
import { locations, settings } from '../settings/settings.ts';
import {
  type FlagRow,
  restoreFlags,
  restoreHelp,
  snapshotFlags,
  snapshotHelp,
} from './backup/flags.ts';
import { type ClusterCommandName, clusterCommandNames, clusterCommands } from './cluster/flags.ts';
import {
  type CompletedCommand,
  type CompletedShell,
  completedShells,
  completionScript,
} from './completion.ts';
import { applyFlags, applyHelp, exportFlags, exportHelp } from './declarative/flags.ts';
import { exitCodes, exitCodesOf, exitCodesText } from './exit-codes.ts';
import {
  addNetworkVerbs,
  isBuilt,
  type NetworkArguments,
  unknownField,
} from './network/program.ts';
import { networkVerbs } from './network/verbs.ts';
import { logFlags } from './offline/log-order.ts';
import { type MigrateFlags, migrateFlags, migrateHelp } from './offline/migrate-flags.ts';
import { pkiImportFlags, pkiImportHelp } from './offline/pki-import-order.ts';
import { statusFlags } from './offline/status-flags.ts';

/** Flags by key: a text, or true for a flag without a value. */
export type Flags = Readonly<Record<string, string | true>>;

/** A command with its flags, or what to print instead and the exit code to end with. */
export type Arguments =
  | { readonly command: 'init' | 'run'; readonly flags: Readonly<Record<string, string>> }
  | {
      readonly command:
        | 'log'
        | 'check'
        | 'snapshot'
        | 'status'
        | 'stop'
        | 'admin reset'
        | 'keys roll';
      readonly flags: Flags;
    }
  | { readonly command: 'cluster'; readonly name: ClusterCommandName; readonly flags: Flags }
  | { readonly command: 'export'; readonly flags: Flags }
  | { readonly command: 'migrate'; readonly flags: MigrateFlags }
  | {
      readonly command: 'restore' | 'apply' | 'pki import';
      readonly file: string;
      readonly flags: Flags;
    }
  | NetworkArguments
  | { readonly command: 'version' }
  | {
      readonly command: 'none';
      readonly out: string;
      readonly err: string;
      readonly exitCode: number;
    };

/** Reads the arguments after the program's name. */
export function readArguments(words: readonly string[]): Arguments {
  let out = '';
  let err = '';
  let read: Arguments | undefined;
  const program = new Command('edge-control')
    .description('The controller of a zero-trust overlay network.')
    .version(`edge-control ${version}`, '-V, --version', 'Print the release.')
    .addHelpText(
      'after',
      `\nExit codes, which --help of a command explains for it alone:\n${exitCodesText}`,
    )
    .exitOverride()
    .configureHelp({ subcommandTerm })
    .configureOutput({
      writeOut: (text) => {
        out += text;
      },
      writeErr: (text) => {
        err += text;
      },
      outputError: (text, write) => write(unknownField(words, text) ?? sentence(text)),
    });
  const take = (given: Arguments) => {
    read = given;
  };
  program.commandsGroup('This machine:');
  addCommands(program, adderOf(words), take);
  addNetworkVerbs(program, words, take);
  try {
    program.parse(words, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    const exitCode = thrown.exitCode === 0 ? exitCodes.stopped : exitCodes.notStarted;
    return { command: 'none', out, err, exitCode };
  }
  return read ?? { command: 'none', out, err, exitCode: exitCodes.notStarted };
}

/** The line of a command in the help: not every command has had its flags built. */
function subcommandTerm(command: Command): string {
  return `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim();
}

function addCommands(program: Command, add: Add, take: (read: Arguments) => void): void {
  const both = [
    ['run', 'Serve until SIGTERM or SIGINT; an empty home is initialised first.'],
    ['init', 'Initialise an empty home: keys, system records, the administrator.'],
  ] as const;
  for (const [command, doc] of both) {
    add(program, command, doc, settingFlags()).action((flags: Record<string, string>) =>
      take({ command, flags }),
    );
  }
  const home = optionOf(locations.home);
  const config = optionOf(locations.config);
  const address = [
    { ...settings.listen, doc: 'Where to look for a controller that its home does not tell of.' },
    { ...settings.advertise, doc: 'The address whose host its certificate names then.' },
  ].map(optionOf);
  const snapshotDoc =
    'Take a snapshot of a home, running or stopped; with --output, a backup of it.';
  const statusDoc = 'Say which process serves a home, since when, where, and whether it is well.';
  const stopDoc = 'Stop the controller of a home, and wait until it has ended.';
  const logDoc =
    'Show the frames of the log without secrets: as text on a terminal, as JSON lines elsewhere.';
  const tools = [
    ['status', statusDoc, [home, ...statusFlags]],
    ['stop', stopDoc, [home, config]],
    ['log', logDoc, [home, ...logFlags]],
    ['check', 'Check that everything in a home is whole. Changes nothing.', [home]],
    ['snapshot', snapshotDoc, [home, config, ...address, ...snapshotFlags], snapshotHelp],
  ] as const;
  for (const [command, doc, rows, help = ''] of tools) {
    add(program, command, doc, rows, help).action((flags: Flags) => take({ command, flags }));
  }
  const restoreDoc = 'Make a home of a backup or a snapshot, in an empty place.';
  add(program, 'restore', restoreDoc, [home, ...restoreFlags], restoreHelp)
    .argument('<file>', 'A backup (directory), or a snapshot.')
    .action((file: string, flags: Flags) => take({ command: 'restore', file, flags }));
  const migrateDoc = 'Make a home of a stopped OpenZiti controller: nobody enrolls again.';
  add(program, 'migrate', migrateDoc, [home, ...migrateFlags], migrateHelp).action(
    (flags: MigrateFlags) => take({ command: 'migrate', flags }),
  );
  addNetworkCommands(program, add, [home, config, ...address], take);
  const admin = program.command('admin').description('Help an administrator who cannot log in.');
  const resetDoc = 'Set a new password and let the administrator in again. Running or stopped.';
  add(admin, 'reset', resetDoc, [home, config, ...resetFlags], adminResetHelp).action(
    (flags: Flags) => take({ command: 'admin reset', flags }),
  );
  const keys = program.command('keys').description('Replace the key that signs tokens.');
  const rollDoc = 'Make a new token key; the running controller signs with it after a minute.';
  add(keys, 'roll', rollDoc, [home, ...rollFlags], keysRollHelp).action((flags: Flags) =>
    take({ command: 'keys roll', flags }),
  );
  const pki = program.command('pki').description('Use a certificate of your own.');
  const hosts = [optionOf(settings.advertise), optionOf(settings.ctrlAdvertise)];
  const importDoc = 'Import a server certificate with its key, and say what is left to do.';
  add(pki, 'import', importDoc, [home, config, ...pkiImportFlags, ...hosts], pkiImportHelp)
    .argument('<file>', 'PKCS#12, PKCS#7 or PEM.')
    .action((file: string, flags: Flags) => take({ command: 'pki import', file, flags }));
  addClusterCommands(program, add, take);
  program
    .command('version')
    .description('Print the release.')
    .action(() => take({ command: 'version' }));
  addCompletion(program, take);
}

function addCompletion(program: Command, take: (read: Arguments) => void): void {
  const doc = 'Print the script with which a shell completes commands, flags and names.';
  program
    .command('completion')
    .description(doc)
    .addArgument(new Argument('<shell>').choices(completedShells))
    .addHelpText('after', completionHelp)
    .action((shell: CompletedShell) => {
      const out = completionScript(shell, completedCommands(program, ''));
      take({ command: 'none', out, err: '', exitCode: exitCodes.stopped });
    });
}

const completionHelp = `
bash: source <(edge-control completion bash)
zsh:  source <(edge-control completion zsh)
fish: edge-control completion fish | source`;

/** A command and those below it. */
function completedCommands(command: Command, path: string): CompletedCommand[] {
  const own = {
    path,
    doc: command.description(),
    flags: [
      ...command.options.map(({ long, required, description }) => ({
        long: long ?? '',
        takesValue: required,
        doc: description,
      })),
      { long: '--help', takesValue: false, doc: 'Print the help.' },
    ],
    words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    isAsked: networkVerbs.some((verb) => verb === path),
  };
  const below = command.commands.flatMap((one) =>
    completedCommands(one, path === '' ? one.name() : `${path} ${one.name()}`),
  );
  return [own, ...below];
}

function addNetworkCommands(
  program: Command,
  add: Add,
  shared: readonly FlagRow[],
  take: (read: Arguments) => void,
): void {
  const exportDoc = 'Write the network of a running controller as YAML or JSON, without secrets.';
  add(program, 'export', exportDoc, [...exportFlags, ...shared], exportHelp).action(
    (flags: Flags) => take({ command: 'export', flags }),
  );
  const applyDoc = 'Give a running controller the network of a file; shows a plan first.';
  add(program, 'apply', applyDoc, [...applyFlags, ...shared], applyHelp)
    .argument('<file>', 'YAML or JSON, or - for standard input.')
    .action((file: string, flags: Flags) => take({ command: 'apply', file, flags }));
}

function addClusterCommands(program: Command, add: Add, take: (read: Arguments) => void): void {
  const cluster = program
    .command('cluster')
    .description('Run several nodes on one log (docs/cluster.md).');
  const settingRows = [locations.home, locations.config, ...settingsIn(settings.cluster)];
  const shared = settingRows.map(optionOf);
  for (const name of clusterCommandNames) {
    const { doc, flags: own, help } = clusterCommands[name];
    add(cluster, name, doc, [...own, ...shared], help).action((flags: Flags) =>
      take({ command: 'cluster', name, flags }),
    );
  }
}

/** Adds a command, with its flags in commander's notation and what its help says below them. */
type Add = (
  parent: Command,
  name: string,
  doc: string,
  rows: readonly FlagRow[],
  help?: string,
) => Command;

/** Builds the flags of the typed command alone: all of them take as long as Node's own start. */
function adderOf(words: readonly string[]): Add {
  return (parent, name, doc, rows, help = '') => {
    const command = parent.command(name).description(doc);
    const path = parent.parent === null ? name : `${parent.name()} ${name}`;
    if (!isBuilt(path, words)) return command;
    for (const [flag, text] of rows) command.option(flag, text);
    return command
      .addHelpText('after', help)
      .addHelpText('after', `\nExit codes:\n${exitCodesOf(path)}`);
  };
}

const resetFlags: readonly FlagRow[] = [
  ['--username <name>', 'The user name of another administrator than the default one.'],
  ['--remove-mfa', 'Remove MFA, too.'],
];

const adminResetHelp = `
The new password is requested at a terminal, or else read from standard input. The administrator is
enabled and gets the default auth policy, and all API sessions of the administrator end. If the
default auth policy forbids passwords, it is changed to allow them.

A running controller is reached by a socket in <home>/run that only the owner of the home can open.`;

const rollFlags: readonly FlagRow[] = [
  ['--end-sessions', 'End all API sessions when the new key begins to sign.'],
];

const keysRollHelp = `
The controller of the home must be running, and lead if it is a node of a cluster. Routers and the
nodes of a cluster learn of the new key at once. It signs after a minute. For another year, the
lifetime of Dial and Bind tokens, the former key still verifies what it has signed.

Use --end-sessions if someone else may have a key: clients have to log in again, and no former key
is accepted any more.`;

/** A setting's flag, with the other sources of its value. */
function optionOf({ flag = '', doc, environment, defaultDoc, ...rest }: Setting<unknown>): FlagRow {
  const from = environment === undefined ? '' : `environment: ${environment}, `;
  return [flag, `${doc} (${from}default: ${defaultDoc ?? String(rest.default)})`];
}

function settingFlags(): FlagRow[] {
  const all: readonly Setting<unknown>[] = [...Object.values(locations), ...settingsIn(settings)];
  return all.filter(({ flag }) => flag !== undefined).map(optionOf);
}

/** The settings of a group and of the groups in it. */
function settingsIn(group: object): Setting<unknown>[] {
  return Object.values(group).flatMap((entry: object) =>
    isSetting(entry) ? [entry] : settingsIn(entry),
  );
}

/** Commander's error message as one line with our program's name. */
function sentence(text: string): string {
  const line = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replaceAll('\n', ' ');
  return `edge-control: ${line}; see edge-control --help\n`;
}
