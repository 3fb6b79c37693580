// A visit to the console in one page of a browser.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Stage } from '../../browser/stage.ts';
import type { ConsoleWatch } from './console-watch.ts';

/** The controller, the page, and what is noticed there. */
export interface Visit {
  readonly stage: Stage;
  readonly page: Page;
  readonly watch: ConsoleWatch;
}

/** Does something in the console. @throws when it does not work */
export type Step = (visit: Visit) => Promise<void>;

/** Opens a page as a bookmark does: from the controller, under its own path. */
export async function openAfresh(visit: Visit, name: string): Promise<void> {
  await visit.page.goto(`${visit.watch.origin}/zac/${name}`);
  await arrive(visit, name);
}

/** Opens a page as the browser's buttons do, without loading the console again. */
export async function open(visit: Visit, name: string): Promise<void> {
  const path = JSON.stringify(`/zac/${name}`);
  await visit.page.evaluate(
    `history.pushState({}, '', ${path}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await arrive(visit, name);
}

async function arrive({ page }: Visit, name: string): Promise<void> {
  await page.locator('#UserButton').waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(new URL(page.url()).pathname, `/zac/${name}`);
  assert.equal(await page.getByText('Page Not Found').count(), 0);
}
