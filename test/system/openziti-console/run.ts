// Uses OpenZiti's web console 4.5.2 in Debian's chromium, served by a controller under /zac:
// `CONSOLE_DIR=DIR node test/system/openziti-console/run.ts`, DIR being the directory of a build
// with its index.html. Exit code 75: there is no CONSOLE_DIR, or no chromium.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { launchChromium } from '../../browser/chromium.ts';
import { Stage } from '../../browser/stage.ts';
import { type Json, management } from '../client.ts';
import { endsWell, Lacking, runStep } from '../endings.ts';
import { adminPassword } from '../process.ts';
import { ConsoleWatch } from './console-watch.ts';
import { fabricSteps, showMap } from './fabric-pages.ts';
import { open, openAfresh, type Step, type Visit } from './visit.ts';

/** Every wait for something on a page; the build for development is slow. */
const waitTimeoutMs = 30_000;

/** Pages with a table, and the list of the management API that it shows. */
const tables: Readonly<Record<string, string>> = {
  identities: 'identities',
  'jwt-signers': 'external-jwt-signers',
  'auth-policies': 'auth-policies',
  services: 'services',
  routers: 'edge-routers',
  'transit-routers': 'transit-routers',
  configs: 'configs',
  'config-types': 'config-types',
  terminators: 'terminators',
  'service-policies': 'service-policies',
  'router-policies': 'edge-router-policies',
  'service-router-policies': 'service-edge-router-policies',
  'certificate-authorities': 'cas',
  'posture-checks': 'posture-checks',
  'api-sessions': 'api-sessions',
};

/** Pages without one, besides the map. */
const otherPages = ['attributes', 'settings', 'profile', 'network-visualizer'];

/** All steps, in the order in which a person would take them. */
const steps: readonly (readonly [title: string, Step])[] = [
  ['refuse a wrong password', refuse],
  ['log in', logIn],
  ['open a bookmark', (visit) => openAfresh(visit, 'identities')],
  ...Object.entries(tables).map(([name, list]): [string, Step] => [
    `show ${name}`,
    (visit) => showTable(visit, name, list),
  ]),
  ...otherPages.map((name): [string, Step] => [`show ${name}`, (visit) => open(visit, name)]),
  ['show the map', showMap],
  ['create an identity', createIdentity],
  ['show it as JSON', showJson],
  ['rename it', renameIdentity],
  ...fabricSteps,
  ['log out', logOut],
];

async function refuse({ page, watch }: Visit): Promise<void> {
  await page.goto(`${watch.origin}/zac`);
  watch.expectRefusal(401);
  const refused = page.waitForResponse((answer) => answer.status() === 401);
  await giveCredentials(page, 'not-the-password');
  await refused;
  assert.match(page.url(), /\/zac\/login$/);
}

async function logIn({ page, watch }: Visit): Promise<void> {
  // It reads the code from the address to which the login leads, where there is no page.
  watch.expectRefusal(404);
  await giveCredentials(page, adminPassword);
  await page.waitForURL(/\/zac\/dashboard$/);
}

async function giveCredentials(page: Page, password: string): Promise<void> {
  for (const [id, text] of [
    ['#Username', 'admin'],
    ['#Password', password],
  ] as const) {
    await page.locator(id).fill(text);
    // The form reads its fields when a key is let go.
    await page.locator(id).press('End');
  }
  await page.getByRole('button', { name: 'Log in' }).click();
}

async function showTable(visit: Visit, name: string, list: string): Promise<void> {
  await open(visit, name);
  const { length } = await visit.stage.admin.all(list);
  const rows = visit.page.locator('.ag-center-cols-container [role=row]');
  await rows.nth(length - 1).waitFor();
  assert.equal(await rows.count(), length, `rows of ${list}`);
}

async function createIdentity(visit: Visit): Promise<void> {
  const { page } = visit;
  await open(visit, 'identities');
  await page.locator('[data-action=add]').click();
  await nameField(page).fill('made in the console');
  await save(page);
  await onceNamed(visit, 'made in the console');
}

/** The details are opened from the table, like people do. */
async function showJson(visit: Visit): Promise<void> {
  const { page } = visit;
  await open(visit, 'identities');
  await page.getByText('made in the console').first().click();
  await page.locator('.form-header-toggle').click();
  await page.locator('.jse-main, .jse-text-mode, .jse-tree-mode').first().waitFor();
  await page.locator('.form-header-toggle').click();
}

async function renameIdentity(visit: Visit): Promise<void> {
  const { page } = visit;
  await nameField(page).fill('renamed in the console');
  await save(page);
  await onceNamed(visit, 'renamed in the console');
}

const nameField = (page: Page) => page.getByPlaceholder('Name this identity');

/** Saves the form; the controller must take it. */
async function save(page: Page): Promise<void> {
  const answered = page.waitForResponse((answer) => {
    const { pathname } = new URL(answer.url());
    return answer.request().method() !== 'GET' && pathname.startsWith(`${management}/identities`);
  });
  await page.locator('lib-form-header .save-button').click();
  assert.ok((await answered).ok(), 'the form is saved');
  await page.waitForLoadState('networkidle');
}

/** The controller has it. */
async function onceNamed({ stage }: Visit, name: string): Promise<void> {
  const query = new URLSearchParams({ filter: `name = "${name}"` });
  const rows = await stage.admin.ask('GET', `${management}/identities?${query}`);
  assert.equal((rows as unknown as Json[]).length, 1, `one identity is named ${name}`);
}

async function logOut({ page }: Visit): Promise<void> {
  await page.locator('#UserButton').click();
  await page.locator('#LogoutButton').click();
  await page
    .locator('[id^=ConfirmModal_]')
    .getByText(/log ?out|yes|confirm/i)
    .last()
    .click();
  await page.waitForURL(/\/zac\/login$/);
}

await runStep(async (endings) => {
  const directory = process.env['CONSOLE_DIR'] ?? '';
  if (directory === '') throw new Lacking('CONSOLE_DIR names no build of the console');
  const stage = await Stage.open(endings, { console: directory });
  const browser = await launchChromium(endings, stage.serving);
  const page = await browser.newPage();
  page.setDefaultTimeout(waitTimeoutMs);
  page.setDefaultNavigationTimeout(waitTimeoutMs);
  const watch = new ConsoleWatch(page, stage.serving.readyUrl);
  let isWell = true;
  for (const [title, step] of steps) {
    const complaints: string[] = [];
    await step({ stage, page, watch }).catch((thrown) => complaints.push(String(thrown)));
    complaints.push(...watch.take());
    console.log(`${complaints.length === 0 ? 'ok' : 'not ok'} ${title}`);
    for (const complaint of complaints) console.log(`  ${complaint}`);
    isWell &&= complaints.length === 0;
  }
  return (await endsWell(stage.serving, stage.secrets)) && isWell;
});
