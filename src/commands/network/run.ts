// Runs the commands of a network.

import type { ProcessContext } from '../../assembly/process-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { listAccess } from './access/access-command.ts';
import { explainAccess, mayAccess } from './access/explain-commands.ts';
import { CommandFailure, failureText } from './command-failure.ts';
import type { ConnectedCommand } from './connection/connected-command.ts';
import { type Connection, whileConnected } from './connection/connection.ts';
import {
  disableIdentity,
  enableIdentity,
  enrollNamed,
  removeMfa,
  setPassword,
} from './entities/action-commands.ts';
import { getEntity } from './entities/get-command.ts';
import { listOrder, listRows } from './entities/list-command.ts';
import { showOrSetLogLevel } from './entities/log-level-command.ts';
import { reEnroll } from './entities/re-enroll-command.ts';
import {
  createEntity,
  deleteEntities,
  updateEntity,
  type WriteCommand,
} from './entities/write-commands.ts';
import { kindTyped } from './kinds/kinds.ts';
import { isLive, runLiveCommand } from './live/live-commands.ts';
import {
  deleteContext,
  listContexts,
  logIn,
  logOut,
  useContext,
  whoAmI,
} from './login/login-command.ts';
import type { NetworkArguments } from './program.ts';
import { publicationTyped, publish } from './publish/publish-command.ts';
import { unpublish } from './publish/unpublish-command.ts';

/** Runs one command. @returns the exit code */
export async function runNetworkCommand(
  read: NetworkArguments,
  context: ProcessContext,
): Promise<number> {
  try {
    const exitCode = await carriedOut(withShortForms(read), context);
    await context.drained();
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    context.err(`${failureText(error, read.flags['output'] === 'json')}\n`);
    return error.exitCode;
  }
}

/** `--roles` is short for `--role-attributes`. @throws CommandFailure for both */
function withShortForms(read: NetworkArguments): NetworkArguments {
  const { roles, ...flags } = read.flags;
  if (roles === undefined) return read;
  if (flags['roleAttributes'] !== undefined) {
    throw CommandFailure.wrong('--roles and --role-attributes are the same flag.');
  }
  return { ...read, flags: { ...flags, roleAttributes: roles } };
}

/** @returns the exit code */
async function carriedOut(
  { verb, words, flags }: NetworkArguments,
  context: ProcessContext,
): Promise<number> {
  const [first = '', second = '', third = ''] = words;
  const connected = <T>(use: (connection: Connection) => Promise<T>) =>
    whileConnected(flags, context, use);
  const changing = (
    by: 'create' | 'update' | 'delete',
    change: (command: WriteCommand) => Promise<void>,
  ) => {
    const kind = kindTyped(first, by);
    return connected((connection) => change({ connection, kind, flags, context }));
  };
  if (isLive(verb)) return await runLiveCommand({ verb, words, flags }, context);
  switch (verb) {
    case 'login':
      await logIn(words[0], flags, context);
      break;
    case 'logout':
      await connected((connection) => logOut(connection, context));
      break;
    case 'use':
      await useContext(words[0], context);
      break;
    case 'whoami':
      await connected((connection) => whoAmI(connection, context));
      break;
    case 'contexts':
      await contextsCommand(words, context);
      break;
    case 'list': {
      const kind = kindTyped(first, verb);
      const order = listOrder(kind, flags);
      await connected((asking) => listRows(asking, kind, order, context));
      break;
    }
    case 'get': {
      const kind = kindTyped(first, verb);
      await connected((asking) => getEntity(asking, kind, second, flags, context));
      break;
    }
    case 'create':
      await changing(verb, (command) => createEntity(command, words[1]));
      break;
    case 'update':
      await changing(verb, (command) => updateEntity(command, second));
      break;
    case 'delete':
      await changing(verb, (command) => deleteEntities(command, words.slice(1)));
      break;
    case 'publish': {
      const publication = publicationTyped(words[0], flags);
      await connected((connection) => publish({ connection, flags, context }, publication));
      break;
    }
    case 'explain':
      await connected((asking) => explainAccess(asking, [first, second], flags, context));
      break;
    case 'can': {
      const question = [first, second, third] as const;
      const isYes = await connected((asking) => mayAccess(asking, question, context));
      return isYes ? exitCodes.stopped : exitCodes.answerIsNo;
    }
    default:
      await connected((connection) => actions[verb]({ connection, flags, context }, first, second));
  }
  return exitCodes.stopped;
}

type Action = (command: ConnectedCommand, first: string, second: string) => Promise<void>;

/** Verbs that get their first two words, and an empty text for one that was not typed. */
const actions = {
  access: listAccess,
  enroll: enrollNamed,
  're-enroll': reEnroll,
  password: setPassword,
  'remove-mfa': removeMfa,
  disable: disableIdentity,
  enable: enableIdentity,
  'log-level': showOrSetLogLevel,
  unpublish,
  // Most commands need nothing of what reads keys and signs certificates.
  verify: async (command, kindWord, name) => {
    const { verifyCa } = await import('./entities/verify-command.ts');
    await verifyCa(command, kindWord, name);
  },
} as const satisfies Readonly<Record<string, Action>>;

async function contextsCommand(words: readonly string[], context: ProcessContext): Promise<void> {
  const [action, name] = words;
  if (action === undefined) return listContexts(context);
  if (action === 'delete' && name !== undefined) return await deleteContext(name, context);
  throw CommandFailure.wrong('write contexts, or contexts delete NAME.');
}
