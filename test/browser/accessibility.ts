// Checks a page with axe-core: no serious or critical fault.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core ranks so fails; what it ranks lower is told. */
const failing = ['serious', 'critical'];

// Run through the browser's own debugging protocol, which the page's policy does not bind: neither
// does the policy have to be lifted, nor does the page load anything that it would not load.
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds on a page as it is now. @returns the faults, by whether they fail */
export async function findFaults(page: Page): Promise<{ failing: string[]; lesser: string[] }> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source);
  const results: AxeResults = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  const told = results.violations.map(({ id, impact, help, nodes }) => {
    const places = nodes.map(({ target, failureSummary }) => `${target}: ${failureSummary}`);
    return {
      isFailing: failing.includes(impact ?? ''),
      text: `${impact} ${id}: ${help}: ${places.join(' | ')}`,
    };
  });
  const texts = (wanted: boolean) =>
    told.filter(({ isFailing }) => isFailing === wanted).map(({ text }) => text);
  return { failing: texts(true), lesser: texts(false) };
}
