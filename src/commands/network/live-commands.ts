// The commands that show what happens: `audit`, `watch` and `top`.

import type { ProcessContext } from '../../assembly/process-context.ts';
import type { NetworkFlags } from './connection.ts';

/** Their verbs. */
export type LiveVerb = 'audit';

/** Runs one of them. Its code is loaded only then. @returns the exit code @throws CommandFailure */
export async function runLiveCommand(
  verb: LiveVerb,
  flags: NetworkFlags,
  context: ProcessContext,
): Promise<number> {
  switch (verb) {
    case 'audit': {
      const { auditOrder, showAudit } = await import('./audit-command.ts');
      return await showAudit(auditOrder(flags, context.clock.now()), flags, context);
    }
  }
}
