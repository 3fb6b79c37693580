// Uses the inspector's page in Debian's chromium: `node test/browser/run.ts [part of a title]…`.
//
// Each flow runs against one controller with a small network. Whatever a flow is about, nothing is
// asked of another origin, nothing is said on the console and no secret is shown. Pictures are left
// in test/screenshots/. Exit code 75: there is no chromium, and this process may not install it.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Browser } from 'playwright-core';
import { build } from '../../.ci/build.ts';
import { isNightly } from '../campaigns.ts';
import { endsWell, runStep } from '../system/endings.ts';
import { launchChromium } from './chromium.ts';
import type { Flow, Scene } from './flow.ts';
import { flows } from './flows/index.ts';
import { Inspector } from './inspector.ts';
import { pictures } from './pictures.ts';
import { Stage } from './stage.ts';
import { Visitor } from './visitor.ts';

const root = join(import.meta.dirname, '../..');

/** Nothing of a flow waits so long by itself: its waits are bounded one by one. */
const flowTimeoutMs = 120_000;

interface Run {
  readonly stage: Stage;
  readonly browser: Browser;
}

/** One flow with its visitors. @returns whether all went well */
async function walk(
  { title, walk, timeoutMs = flowTimeoutMs }: Flow,
  { stage, browser }: Run,
): Promise<boolean> {
  const visitors: Visitor[] = [];
  const startedAt = performance.now();
  const complaints: string[] = [];
  const come: Scene['come'] = async (appearance) => {
    const visitor = await Visitor.come(browser, stage.serving.readyUrl, stage.secrets, appearance);
    visitors.push(visitor);
    return new Inspector(visitor);
  };
  try {
    await withinTime(walk({ stage, come }), timeoutMs);
  } catch (thrown) {
    complaints.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    for (const [n, { page }] of visitors.entries()) {
      await pictureOfFailure(page, `${title} ${n}`);
      complaints.push(`the page showed: ${await textOf(page)}`);
    }
  }
  for (const visitor of visitors) {
    await visitor.searchPage('at the end').catch((thrown) => complaints.push(String(thrown)));
    complaints.push(...(await visitor.leave()));
  }
  const tookMs = Math.round(performance.now() - startedAt);
  console.log(`${complaints.length === 0 ? 'ok' : 'not ok'} - ${title} # ${tookMs} ms`);
  for (const complaint of complaints) {
    console.log(`  ${stripVTControlCharacters(complaint).replaceAll('\n', '\n  ')}`);
  }
  return complaints.length === 0;
}

async function withinTime(walking: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), timeoutMs);
  });
  try {
    await Promise.race([walking, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function pictureOfFailure(page: Visitor['page'], title: string): Promise<void> {
  const path = join(pictures, `failed-${title.replaceAll(/\W+/g, '-')}.png`);
  await page.screenshot({ path, fullPage: true }).catch(() => undefined);
}

/** The text of a page, for logs without pictures. */
async function textOf(page: Visitor['page']): Promise<string> {
  const text = await page.innerText('body', { timeout: 5000 }).catch(String);
  return text.replaceAll(/\s+/g, ' ').slice(0, 1000);
}

await runStep(async (endings) => {
  const parts = process.argv.slice(2);
  if (parts.length === 0) rmSync(pictures, { recursive: true, force: true });
  await build(root);
  mkdirSync(pictures, { recursive: true });
  const stage = await Stage.open(endings);
  const browser = await launchChromium(endings, stage.serving);
  const chosen = flows.filter(({ title, isOnRequest = false, isLeftToNight = false }) =>
    parts.length === 0
      ? !isOnRequest && (isNightly || !isLeftToNight)
      : parts.some((part) => title.includes(part)),
  );
  let isWell = chosen.length > 0;
  for (const flow of chosen) isWell = (await walk(flow, { stage, browser })) && isWell;
  return (await endsWell(stage.serving, stage.secrets)) && isWell;
});
