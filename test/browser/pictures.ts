// Pictures of the page, for people who review a run.

import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Where they are left; Git ignores it. */
export const pictures = join(import.meta.dirname, '../screenshots');

/** Leaves a picture of a page, all of it or the window: `machines-dark-narrow.png`. */
export async function takePicture(page: Page, name: string, fullPage = true): Promise<void> {
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path, fullPage, animations: 'disabled' });
}
