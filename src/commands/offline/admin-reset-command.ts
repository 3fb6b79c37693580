// The command `admin reset`: a new password for an administrator, through the controller that runs
// on the home or without one.

import { join } from 'node:path';
import { reasonOf } from '../../../snapshots/errors.ts';
import { passwordName } from '../../../snapshots/home/layout.ts';
import { holderOf } from '../../../snapshots/home/lock.ts';
import { readMembership } from '../../../snapshots/home/membership.ts';
import type { ResetOrder } from '../../assembly/owner-orders.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { sendToOwnerSocket } from '../../http/server/owner-socket.ts';
import { printable } from '../../platform/printable.ts';
import type {
  AdministratorReset,
  ResetAnswer,
} from '../../resources/authenticators/administrator-reset.ts';
import type { Config } from '../../settings/config.ts';
import { manifestOf } from './refusal.ts';

/** What the command needs. */
export interface AdminResetCommand {
  readonly config: Config;
  readonly order: Omit<AdministratorReset, 'password'>;
  readonly context: Pick<ProcessContext, 'disk' | 'secretInput' | 'out' | 'err'>;
  /** Opens the home, which no process holds, resets, and closes it again. */
  readonly resetDirectly: (order: AdministratorReset) => Promise<ResetAnswer>;
}

/**
 * Asks for the password, resets the administrator, and reports what was done.
 * @returns whether it was done; otherwise the reason was printed
 * @throws StartProblem if it could not be started
 */
export async function resetAdmin(command: AdminResetCommand): Promise<boolean> {
  const { config, context } = command;
  const { home } = config;
  manifestOf(context.disk, home);
  const isStopped = holderOf(context.disk, home) === undefined;
  // Only the leader of a cluster changes records: what this home alone got would fork its log.
  if (isStopped && readMembership(context.disk, home) !== undefined)
    throw new StartProblem(nodeNote(home));
  const order = { ...command.order, password: await newPassword(command) };
  const answer = isStopped ? await command.resetDirectly(order) : await askRunning(command, order);
  if ('refused' in answer) {
    context.err(`edge-control: ${printable(answer.refused)}\n`);
    return false;
  }
  for (const line of answer.lines) context.out(`${printable(line)}\n`);
  if (answer.isDefaultAdmin) forgetFirstPassword(command);
  return true;
}

function nodeNote(home: string): string {
  return `${home} is stopped and belongs to a cluster, in which only the node that leads changes records: start it and give the order on the machine of the leader. If no node can lead, make a home that stands alone of it (edge-control snapshot --output, then restore), and give the order there.`;
}

/** @throws StartProblem if no password is given, or two different ones are typed. */
async function newPassword({ context: { secretInput } }: AdminResetCommand): Promise<string> {
  let password: string;
  try {
    password = await secretInput.ask('New password: ');
    if (secretInput.isTerminal && (await secretInput.ask('Once more: ')) !== password) {
      throw new Error('the two are not the same');
    }
  } catch (error) {
    throw new StartProblem(`The password could not be read: ${reasonOf(error)}.`);
  }
  if (password === '') {
    throw new StartProblem('No password was given: type it, or write it to standard input.');
  }
  return password;
}

async function askRunning(
  { config: { home, limits } }: AdminResetCommand,
  order: AdministratorReset,
): Promise<ResetAnswer> {
  const sent: ResetOrder = { order: 'resetAdministrator', ...order };
  try {
    // A stalled disk may delay the answer for longer than any request.
    return (await sendToOwnerSocket(home, sent, 3 * limits.handlerTimeoutMs)) as ResetAnswer;
  } catch (error) {
    throw new StartProblem(
      `The controller that runs on ${home} cannot be asked: ${reasonOf(error)}. ` +
        'Where it is not just starting or stopping, stop it and try again.',
    );
  }
}

/** The file holds the former password, with which `snapshot` would try to log in. */
function forgetFirstPassword({ config: { home }, context }: AdminResetCommand): void {
  const file = join(home, passwordName);
  if (!context.disk.exists(file)) return;
  context.disk.remove(file);
  context.out(`${file} held the old password and was removed.\n`);
}
