// The flags of the command `migrate`, and their meaning.

import { resolve } from 'node:path';
import { type LeaveOut, leaveOuts } from '../../migrate/report.ts';
import { ConfigProblem } from '../../settings/setting-type.ts';
import type { FlagRow } from '../backup/flags.ts';

/** Flags besides `--home`. */
export const migrateFlags: readonly FlagRow[] = [
  ['--from <file>', 'The database of the controller, or a snapshot of it.'],
  ['--config <file>', 'Its configuration, ctrl.yaml. Keys are read where it says that they are.'],
  ['--check', 'Read, convert and verify everything, and write nothing but --report.'],
  [
    '--leave-out <what...>',
    'Go on without what cannot be taken over; the help names what can be left out.',
  ],
  [
    '--sessions <keep|drop>',
    'Whether API sessions go on with their tokens (default: keep, if the controller was stopped within 24 hours).',
  ],
  [
    '--set-variable <name=value...>',
    'A variable that the configuration names, besides those of the environment.',
  ],
  ['--listener <address>', 'Which address of the configuration to answer at, if it has several.'],
  ['--report <file>', 'Write the report as JSON, too. A file of that name is replaced.'],
];

/** The words that `--leave-out` takes, each with what is left out, for the help. */
const leaveOutDocs: Readonly<Record<LeaveOut, string>> = {
  'fabric-only': 'services without edge rights for which there is no place',
  'external-keys': 'keys at pkcs11: or engine: addresses, which nobody can copy',
  'second-authenticator': 'a second authenticator of one method at one identity',
  'duplicate-key': 'entities with a name or a key that another one has',
  'access-difference': 'pairs whose access would not be as it was',
  administrator: 'administrators: none can log in, until edge-control admin reset',
  'newer-schema': 'what a newer database has that this release does not know',
};

/** Notes for operators, shown with the help. */
export const migrateHelp = `
Makes a home of the database, the keys and the configuration of a stopped OpenZiti controller. The
controller of that home answers at the same address with the same keys: nobody enrolls again.
Nothing of the source is changed. What cannot be taken over is named before anything is written,
and the home gets its name as the last thing: a migration that fails leaves nothing, and what one
that is killed leaves is in no home's place and is removed by the next one.

The report is printed, and written to <home>/migration.json. Symbolic links are followed. A running
controller is refused: stop it, or read a snapshot that it makes of itself.

What can be left out, several of them with commas:
${leaveOuts.map((what) => `  ${what.padEnd(21)} ${leaveOutDocs[what]}`).join('\n')}

Examples:
  edge-control migrate --from ctrl-ha.db --config ctrl.yaml --check --report report.json
  edge-control migrate --from ctrl-ha.db --config ctrl.yaml --home data --sessions keep
  edge-control migrate --from ctrl.db --config ctrl.yaml --set-variable ZITI_HOME=/opt/ziti`;

/** Flags as typed; one that may stand several times has a list. */
export type MigrateFlags = Readonly<Record<string, string | true | readonly string[]>>;

/** The meaning of the flags; paths are absolute. */
export interface MigrateCommandOrder {
  readonly from: string;
  readonly configuration: string;
  readonly isCheck: boolean;
  readonly leaveOut: ReadonlySet<LeaveOut>;
  readonly sessions: 'keep' | 'drop' | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly listener: string | undefined;
  readonly report: string | undefined;
}

/** Reads the flags. @throws ConfigProblem */
export function migrateOrder(flags: MigrateFlags, directory: string): MigrateCommandOrder {
  const text = (key: string) => {
    const value = flags[key];
    return typeof value === 'string' ? value : undefined;
  };
  const path = (key: string) => {
    const value = text(key);
    return value === undefined ? undefined : resolve(directory, value);
  };
  const needed = (key: string, what: string) => {
    const value = path(key);
    if (value !== undefined) return value;
    throw new ConfigProblem(`--${key} is missing: name ${what}.`);
  };
  return {
    from: needed('from', 'the database of the controller'),
    configuration: needed('config', 'its configuration, ctrl.yaml'),
    isCheck: flags['check'] === true,
    leaveOut: leaveOutOf(listOf(flags['leaveOut'])),
    sessions: sessionsOf(text('sessions')),
    variables: variablesOf(listOf(flags['setVariable'])),
    listener: text('listener'),
    report: path('report'),
  };
}

function listOf(given: MigrateFlags[string] | undefined): readonly string[] {
  if (given === undefined || given === true) return [];
  return typeof given === 'string' ? [given] : given;
}

function leaveOutOf(given: readonly string[]): ReadonlySet<LeaveOut> {
  const words = given.flatMap((text) => text.split(',')).map((word) => word.trim());
  return new Set(
    words.map((word) => {
      const found = leaveOuts.find((one) => one === word);
      if (found !== undefined) return found;
      throw new ConfigProblem(
        `--leave-out names ${JSON.stringify(word)}, but what can be left out is ${leaveOuts.join(', ')}.`,
      );
    }),
  );
}

function sessionsOf(text: string | undefined): 'keep' | 'drop' | undefined {
  if (text === undefined || text === 'keep' || text === 'drop') return text;
  throw new ConfigProblem(`--sessions is ${JSON.stringify(text)} but must be keep or drop.`);
}

/** The value may be a secret, so that it stands in no message. */
function variablesOf(given: readonly string[]): Readonly<Record<string, string>> {
  const entries = given.map((text): [string, string] => {
    const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) return [name, value];
    throw new ConfigProblem('--set-variable must be NAME=VALUE, such as ZITI_HOME=/opt/ziti.');
  });
  return Object.fromEntries(entries);
}
