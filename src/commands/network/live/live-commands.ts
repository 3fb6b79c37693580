// The commands that show what happens: `audit`, `watch` and `top`.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import type { NetworkFlags } from '../connection/connection-plan.ts';
import type { NetworkVerb } from '../verbs.ts';

const liveVerbs = ['audit', 'watch', 'top'] as const;

/** Their verbs. */
export type LiveVerb = (typeof liveVerbs)[number];

/** Whether a verb is one of them. */
export function isLive(verb: NetworkVerb): verb is LiveVerb {
  return liveVerbs.some((one) => one === verb);
}

/** One of them, as typed. */
export interface LiveCommand {
  readonly verb: LiveVerb;
  readonly words: readonly string[];
  readonly flags: NetworkFlags;
}

/** Runs one of them. Its code is loaded only then. @returns the exit code @throws CommandFailure */
export async function runLiveCommand(
  { verb, words, flags }: LiveCommand,
  context: ProcessContext,
): Promise<number> {
  switch (verb) {
    case 'audit': {
      const { auditOrder, showAudit } = await import('./audit-command.ts');
      return await showAudit(auditOrder(flags, context.clock.now()), flags, context);
    }
    case 'watch': {
      const { watch, watchOrder } = await import('./watch-command.ts');
      return await watch(watchOrder(words, flags), flags, context);
    }
    case 'top': {
      const { top } = await import('./top-command.ts');
      return await top(flags, context);
    }
  }
}
