// Waits for what other threads and processes do.

import { setTimeout } from 'node:timers/promises';

/** How long a look waits for the next one. */
const betweenLooksMs = 1;

/** Resolves when it is time to look again; until then the core is left to who is waited for. */
export async function anotherLook(): Promise<void> {
  await setTimeout(betweenLooksMs);
}
