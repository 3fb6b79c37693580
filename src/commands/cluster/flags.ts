// The cluster commands with their flags, and the meaning of these.

import { resolve } from 'node:path';
import { pkiName } from '../../../snapshots/home/layout.ts';
import { ConfigProblem } from '../../settings/setting-type.ts';
import type { FlagRow } from '../backup/flags.ts';
import type { JoinOrder } from './join.ts';
import type { ReseedOrder } from './seed.ts';

/** One command. */
interface CommandRow {
  readonly doc: string;
  /** Flags besides `--home`, `--config` and those of the settings of a cluster. */
  readonly flags: readonly FlagRow[];
  readonly help: string;
}

const stoppedHelp = '\nThe controller of this home has to be stopped.';

const runningHelp = `
The node that leads has to run on this home; it is reached by a socket in <home>/run that only the
owner of the home can open.`;

/** The commands by name, in the order of the help. */
export const clusterCommands = {
  init: {
    doc: 'Make a stopped home the first node of a cluster.',
    flags: [],
    help: stoppedHelp,
  },
  join: {
    doc: 'Make a new home a further node of a cluster.',
    flags: [
      ['--pki <directory>', 'A copy of the folder pki of another node (default: <home>/pki).'],
      [
        '--invite <text>',
        'What edge-control cluster invite has printed, or - for standard input: gets the keys from there.',
      ],
      ['--data-set <id>', 'Which cluster, where the NATS account holds several.'],
    ],
    help: '\nThe keys must be those of the other nodes: the command says which of them differ.',
  },
  invite: {
    doc: 'Print a text with which one further machine can join the cluster within 30 minutes.',
    flags: [['--name <name>', 'The name of the node that is to join, for the audit feed.']],
    help: `${runningHelp}
The text gives its first user all keys of the cluster, so keep it as secret as a password.`,
  },
  status: {
    doc: 'Show nodes, roles, terms, lag, clocks, stream and snapshots, and what is wrong.',
    flags: [['--json', 'Print one JSON object.']],
    help: '\nThe exit code is 1 if something is wrong. It works on the home of any node, running or stopped.',
  },
  'step-down': {
    doc: 'Let another node lead. The node starts again as a follower.',
    flags: [],
    help: runningHelp,
  },
  leave: {
    doc: 'Take a node out of the cluster.',
    flags: [['--node <id>', 'Another node than this one, which is lost.']],
    help: `${stoppedHelp} Its data is laid aside. With --node nothing changes
here, and the controller of this home may run.`,
  },
  reseed: {
    doc: 'Begin the stream again with the records of this home, after damage that halts the cluster.',
    flags: [
      ['--yes', 'Do it. Without this flag the command only says what it would drop.'],
      ['--force', 'Drop what another node has and this one has not.'],
    ],
    help: '\nAll nodes have to be stopped. Run it on the node that has most: the command says which one.',
  },
  finalize: {
    doc: 'End a rolling upgrade: write formats that the former release does not read.',
    flags: [],
    help: runningHelp,
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

/** Name of a cluster command. */
export type ClusterCommandName = keyof typeof clusterCommands;

/** All names. */
export const clusterCommandNames = Object.keys(clusterCommands) as readonly ClusterCommandName[];

/** Flags as typed. */
type Flags = Readonly<Record<string, string | true>>;

/** Reads the flags of `join`. @throws ConfigProblem */
export function joinOrder(flags: Flags, directory: string, home: string): JoinOrder {
  const { pki, invite, dataSet } = flags;
  if (pki !== undefined && invite !== undefined) {
    throw new ConfigProblem('--pki and --invite both name the keys: give one of them.');
  }
  if (dataSet !== undefined && !/^[0-9a-f]{32}$/.test(String(dataSet))) {
    throw new ConfigProblem(
      `--data-set is ${JSON.stringify(dataSet)} but must be 32 hexadecimal digits.`,
    );
  }
  return {
    pki: typeof pki === 'string' ? resolve(directory, pki) : resolve(home, pkiName),
    invitation: typeof invite === 'string' ? invite : undefined,
    dataSetId: typeof dataSet === 'string' ? dataSet : undefined,
  };
}

/** Reads the flag of `invite`. @throws ConfigProblem */
export function invitedName({ name }: Flags): string {
  if (typeof name === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(name)) return name;
  throw new ConfigProblem(
    '--name must be the name of the node: up to 64 letters, digits, dots, dashes and underscores.',
  );
}

/** Reads the flags of `reseed`. */
export function reseedOrder(flags: Flags): ReseedOrder {
  return { isConfirmed: flags['yes'] === true, force: flags['force'] === true };
}

/** Reads the flag of `leave`. @throws ConfigProblem */
export function leavingNode({ node }: Flags): string | undefined {
  if (typeof node !== 'string') return undefined;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(node)) return node;
  throw new ConfigProblem(`--node is ${JSON.stringify(node)}, which is no id of a node.`);
}
