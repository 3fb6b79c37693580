// What the page asks of the stream is heard on another connection than the changes of a test come
// by, and nothing answers it: nobody can say which of them is first. So a change is repeated until
// the effect of the request shows.

import { randomUUID } from 'node:crypto';
import type { Locator } from 'playwright-core';
import type { Inspector } from './inspector.ts';
import type { Stage } from './stage.ts';

/** The first or the second does on a machine with time. */
const triesMax = 30;

/**
 * The first try waits so long, and each further one by as much longer: a page that has no time to
 * show one change has less for many.
 */
const tryTimeoutMs = 500;

/** Makes attempts until one succeeds. @throws when none of them does */
export async function untilHeard(attempt: (n: number) => Promise<boolean>): Promise<void> {
  for (let n = 0; n < triesMax; n += 1) if (await attempt(n)) return;
  throw new Error('the stream does not do what it is asked');
}

/** Waits until the view of transitions is told of them; what it is told of are new routers. */
export async function isTold(inspector: Inspector, stage: Stage): Promise<void> {
  const rows = inspector.rows('Live transitions');
  await untilHeard(async (n) => {
    await stage.admin.create('routers', { name: randomUUID() });
    return await comes(rows.first(), n);
  });
}

/** Whether something shows soon, in the n-th try of `untilHeard`. */
export async function comes(wanted: Locator, n: number): Promise<boolean> {
  return await wanted.waitFor({ timeout: tryTimeoutMs * (n + 1) }).then(
    () => true,
    () => false,
  );
}
