// Lets live XState actors run on the controller's injected clock.

import type { ActorOptions, AnyActorLogic } from 'xstate';
import type { Clock, Timer } from '../platform/ports.ts';

/** What `createActor` takes as `clock`. */
export function toActorClock(clock: Clock): NonNullable<ActorOptions<AnyActorLogic>['clock']> {
  return {
    setTimeout: (task, delayMs) => clock.after(delayMs, () => task()),
    clearTimeout: (timer: Timer | undefined) => timer?.cancel(),
  };
}
