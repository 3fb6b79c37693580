// `top`: how the controller is doing, once or each second.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { type Connection, whileConnected } from '../connection/connection.ts';
import type { NetworkFlags } from '../connection/connection-plan.ts';
import { terminalColumns } from '../output/output.ts';
import {
  type Following,
  following,
  goesOn,
  interrupted,
  pause,
  whileFollowing,
} from './following.ts';
import { TopSources } from './top-sources.ts';
import { type TopView, topLines } from './top-view.ts';

/** Between two looks. */
const everyMs = 1000;

/** Seconds after which a controller that does not answer counts as lost. */
const patience = '5';

/** Shows the screen. @returns the exit code @throws CommandFailure if it cannot begin */
export async function top(given: NetworkFlags, context: ProcessContext): Promise<number> {
  const flags: NetworkFlags = { timeout: patience, ...given };
  if (flags['once'] === true) {
    const command = following(flags, context);
    const shown = whileConnected(flags, context, (connection) => once(connection, command));
    await Promise.race([shown, interrupted(command)]);
    return command.stop.aborted ? exitCodes.interrupted : exitCodes.stopped;
  }
  const stop = new AbortController();
  let exitCode: number = exitCodes.interrupted;
  const command = following(flags, context, stop);
  context.screen.begin((key) => {
    if (key === 'q') exitCode = exitCodes.stopped;
    if (key === 'q' || key === ctrlC) stop.abort();
  });
  try {
    await live(command);
    return command.stop.aborted ? exitCode : exitCodes.stopped;
  } finally {
    context.screen.end();
  }
}

/** In raw mode the terminal makes no signal of it. */
const ctrlC = '\u0003';

/** Rates need two looks. */
async function once(connection: Connection, command: Following): Promise<void> {
  const { context } = command;
  const sources = new TopSources();
  await sources.view(connection, context.clock.now(), command.stop);
  // A little more than the second after which the controller takes its next sample.
  await pause(command, everyMs + 100);
  const view = await sources.view(connection, context.clock.now(), command.stop);
  if (command.stop.aborted) return;
  const lines = topLines(view, terminalColumns(context));
  context.out(lines.map((line) => `${line}\n`).join(''));
}

async function live(command: Following): Promise<void> {
  const { context, stop } = command;
  const sources = new TopSources();
  let view: TopView | undefined;
  const draw = (lost?: string) => {
    if (view === undefined) return;
    context.screen.draw(topLines({ ...view, lost }, terminalColumns(context)));
  };
  const look = async (connection: Connection) => {
    while (goesOn(command)) {
      view = await sources.view(connection, context.clock.now(), stop);
      draw();
      await pause(command, everyMs);
    }
  };
  await whileFollowing(command, look, { lost: draw, back: () => undefined });
}
