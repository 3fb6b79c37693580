// The map: routers, links and circuits as a picture and as tables, live.

import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { MapRouter, StreamMessage } from '../../../src/inspect/messages.ts';
import { findFaults } from '../accessibility.ts';
import type { Flow, Scene } from '../flow.ts';
import type { Inspector } from '../inspector.ts';
import { type FleetLink, type FleetPlan, MapFleet } from '../map-fleet.ts';
import { takePicture } from '../pictures.ts';
import type { sizes, Theme } from '../visitor.ts';
import { administrator } from './log-in.ts';

const regions = ['north', 'south', 'west'] as const;
const eachRegion = 5;

/** Three rings of routers, joined with each other. */
function ringsOf(prefix: string): FleetPlan {
  const nameOf = (region: string, n: number) => `${prefix}-${region}-${n % eachRegion}`;
  const names = regions.flatMap((region) =>
    Array.from({ length: eachRegion }, (_, n) => nameOf(region, n)),
  );
  const link = (from: string, to: string): FleetLink => ({ id: `${from}.${to}`, from, to });
  const links = regions.flatMap((region, at) => [
    ...Array.from({ length: eachRegion }, (_, n) => link(nameOf(region, n), nameOf(region, n + 1))),
    link(nameOf(region, 0), nameOf(regions[(at + 1) % regions.length] ?? '', 0)),
  ]);
  const roleAttributesOf = (name: string) => regions.filter((region) => name.includes(region));
  return { names, links, roleAttributesOf };
}

/** Runs `look` while a fleet is connected. */
async function withFleet(
  { stage }: Scene,
  prefix: string,
  look: (fleet: MapFleet, plan: FleetPlan) => Promise<void>,
): Promise<void> {
  const plan = ringsOf(prefix);
  const fleet = await MapFleet.connect(stage, plan);
  try {
    fleet.measure(plan.links, (_, n) => 3 + 7 * (n % 9));
    await look(fleet, plan);
  } finally {
    await fleet.stop();
  }
}

function canvasOf({ page }: Inspector): Locator {
  return page.locator('.map-picture canvas[data-drawn]');
}

function table({ page }: Inspector, name: string): Locator {
  return page.getByRole('table', { name, exact: true }).locator('tbody tr');
}

/** Types it into the box, and looks at what is found from close by. */
async function find({ page }: Inspector, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Find a router' }).fill(text);
}

async function clickMiddle(inspector: Inspector): Promise<void> {
  await inspector.button('Zoom to found').click();
  const canvas = canvasOf(inspector);
  await canvas.scrollIntoViewIfNeeded();
  const { width = 0, height = 0 } = (await canvas.boundingBox()) ?? {};
  const position = { x: width / 2, y: height / 2 };
  await canvas.hover({ position });
  await inspector.page.locator('.map-tip').waitFor();
  await canvas.click({ position });
}

const looking: Flow = {
  title: 'the map shows routers and links, the worst first, and a click leads to their machines',
  async walk(scene) {
    await withFleet(scene, 'looked', async (fleet, { links }) => {
      const inspector = await scene.come();
      const { page } = inspector;
      await inspector.enter(administrator);
      await inspector.goTo('Map');
      await canvasOf(inspector).waitFor();
      await page.getByRole('img', { name: /^Map of \d+ routers and \d+ lines/ }).waitFor();
      await find(inspector, 'looked-');
      assert.equal(await table(inspector, 'Routers').count(), 15);
      assert.equal(await table(inspector, 'Links').count(), links.length);
      const row = table(inspector, 'Links').filter({ hasText: links[1]?.id ?? '' });
      const cells = await inspector.cells(row);
      assert.deepEqual(
        [cells['State'], cells['Latency'], cells['Cost'], cells['Circuits']],
        ['connected', '10 ms', '21', '0'],
      );

      fleet.break(links[0] as FleetLink);
      await table(inspector, 'Links').first().filter({ hasText: 'failed' }).waitFor();
      await page.getByRole('list', { name: 'Links', exact: true }).getByText('failed').waitFor();
      fleet.twin('looked-south-3').close();
      await table(inspector, 'Routers').first().filter({ hasText: 'offline' }).waitFor();
      await table(inspector, 'Routers').first().filter({ hasText: 'looked-south-3' }).waitFor();

      await find(inspector, 'looked-west-2');
      await clickMiddle(inspector);
      await inspector.heading('looked-west-2').waitFor();
      assert.equal(inspector.hash, `#/machines/router/${fleet.id('looked-west-2')}`);
      await page.goBack();
      await canvasOf(inspector).waitFor();
      const link = links.find(({ id }) => id === 'looked-west-2.looked-west-3');
      await find(inspector, 'west-2');
      await table(inspector, 'Links').getByRole('link', { name: link?.id, exact: true }).click();
      await inspector.isIn('connected');
      await inspector.goTo('Figures');
    });
  },
};

const circuits: Flow = {
  title: 'the circuits of a service are drawn on the map, and lead to their machines',
  isLeftToNight: true,
  async walk(scene) {
    await withFleet(scene, 'dialed', async (fleet) => {
      const service = await fleet.host('dialed-printer', 'dialed-west-1');
      await fleet.dial(service, 'dialed-west-2');
      const inspector = await scene.come();
      const { page } = inspector;
      await inspector.enter(administrator, '#/map');
      await canvasOf(inspector).waitFor();
      const box = page.getByRole('combobox', { name: 'Circuits of the service' });
      await box.fill('no-such');
      await inspector.button('Show circuits').click();
      await page.getByRole('alert').getByText('There is no service no-such.').waitFor();
      await box.fill('dialed-printer');
      await inspector.button('Show circuits').click();
      const rows = table(inspector, 'Circuits');
      await rows.first().waitFor();
      assert.match(inspector.hash, new RegExp(`service=${service}`));
      const cells = await inspector.cells(rows.first());
      assert.equal(cells['Path'], 'dialed-west-2 → dialed-west-1');
      await fleet.dial(service, 'dialed-west-3');
      await rows.nth(1).waitFor();
      await find(inspector, 'dialed-west');
      await takePicture(page, 'map-circuits');
      await inspector.button('No circuits').click();
      await rows.first().waitFor({ state: 'detached' });
      await page.goBack();
      await rows.filter({ hasText: 'dialed-west-3' }).getByRole('link').first().click();
      await inspector.isIn('active');
      await inspector.goTo('Figures');
    });
  },
};

const byKeys: Flow = {
  title: 'the map is used by the keyboard alone',
  async walk(scene) {
    await withFleet(scene, 'typed', async (_fleet, { names }) => {
      const inspector = await scene.come();
      const { page } = inspector;
      const { keyboard } = page;
      await inspector.enter(administrator, '#/map');
      await canvasOf(inspector).waitFor();
      const tab = async (name: RegExp) => {
        for (let tabs = 0; tabs < 60; tabs += 1) {
          await keyboard.press('Tab');
          if (name.test(await inspector.focused())) return;
        }
        throw new Error(`no ${name}`);
      };
      await page.evaluate('document.querySelector("h1").focus()');
      await tab(/^Find a router/);
      await keyboard.type('typed-');
      await tab(/^Map$/);
      for (const key of ['+', '+', 'ArrowLeft', 'ArrowDown', '-', '0']) await keyboard.press(key);
      await tab(/^Zoom in/);
      await keyboard.press('Enter');
      await tab(/^Whole map/);
      await keyboard.press('Enter');
      await tab(/^Router$/);
      const sorted = async (order: readonly string[]) => {
        await page.locator(`th[aria-sort="${order[0]}"]`).first().waitFor();
        const found = await table(inspector, 'Routers').first().locator('th').innerText();
        assert.equal(found, order[1]);
      };
      await keyboard.press('Enter');
      await sorted(['ascending', [...names].sort()[0] ?? '']);
      await keyboard.press('Enter');
      await sorted(['descending', [...names].sort().at(-1) ?? '']);
      await tab(/^typed-west-4$/);
      await keyboard.press('Enter');
      await inspector.heading('typed-west-4').waitFor();
      await inspector.goTo('Figures');
    });
  },
};

const grouped: Flow = {
  title: 'a map of too many routers is drawn in groups, and a click leads to one of them',
  isLeftToNight: true,
  async walk({ come }) {
    const inspector = await come();
    const { page } = inspector;
    await page.routeWebSocket(/\/inspect\/stream/, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => socket.send(withMany(String(text))));
    });
    await inspector.enter(administrator, '#/map');
    await page.getByText(/drawn in groups by their first role attribute/).waitFor();
    const plains = table(inspector, 'Groups').filter({ hasText: 'plains' });
    const { State } = await inspector.cells(plains);
    assert.match(State ?? '', /^400 routers, 1 offline/);
    await canvasOf(inspector).waitFor();
    await takePicture(page, 'map-groups');
    await plains.getByRole('link', { name: 'plains', exact: true }).click();
    await inspector.heading('Map of plains').waitFor();
    await page.locator('canvas[data-drawn="400 0"]').waitFor();
    await table(inspector, 'Routers').first().filter({ hasText: 'offline' }).waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages of routers' });
    await pages.getByText('1 to 50 of 400').waitFor();
    await pages.getByRole('button', { name: 'Next page' }).click();
    await pages.getByText('51 to 100 of 400').waitFor();
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click();
    await inspector.heading('Map').waitFor();
    await plains.waitFor();
  },
};

const lands = ['hills', 'plains', 'coast'] as const;

/** A message about the map with 1,200 further routers, as if the controller had told of them. */
function withMany(text: string): string {
  const message = JSON.parse(text) as StreamMessage;
  if (message.type !== 'map' || !message.isFirst) return text;
  const rows = Array.from({ length: 1200 }, (_, n): MapRouter => {
    const state = n === 1 ? 'offline' : 'online';
    return {
      kind: 'router',
      id: `many-${n}`,
      name: `many-${n}`,
      state,
      isEnrolled: true,
      isDisabled: false,
      isQuiesced: false,
      group: lands[n % lands.length] ?? '',
      cost: 0,
      noTraversal: false,
      circuits: 0,
      version: 'v2.1.0',
      address: '192.0.2.1',
      closeReason: '',
      sinceMs: 1,
    };
  });
  return JSON.stringify({ ...message, rows: [...message.rows, ...rows] });
}

/** In one theme and size: a picture, what axe-core finds, and whether it fits. */
function seen(theme: Theme, size: keyof typeof sizes): Flow {
  return {
    title: `the map is whole, accessible and fits: ${theme}, ${size}`,
    // By day, all other views are walked in the other theme and size.
    isLeftToNight: true,
    async walk(scene) {
      await withFleet(scene, `seen-${theme}-${size}`, async (fleet, { links, names }) => {
        const inspector = await scene.come({ theme, size });
        await inspector.enter(administrator, '#/map');
        await canvasOf(inspector).waitFor();
        fleet.break(links[0] as FleetLink);
        fleet.twin(names[8] ?? '').close();
        await find(inspector, `seen-${theme}-${size}`);
        await table(inspector, 'Routers').first().filter({ hasText: 'offline' }).waitFor();
        await find(inspector, '');
        await inspector.page.evaluate('window.scrollTo(0, 0)');
        await takePicture(inspector.page, `map-${theme}-${size}`);
        await takePicture(inspector.page, `map-window-${theme}-${size}`, false);
        const { failing } = await findFaults(inspector.page);
        assert.deepEqual(failing, []);
        assert(await inspector.fitsItsWidth(), 'not wider than the window');
      });
    },
  };
}

/** The map. */
export const mapFlows: readonly Flow[] = [
  looking,
  circuits,
  byKeys,
  grouped,
  seen('light', 'narrowest'),
  seen('dark', 'narrowest'),
  seen('light', 'wide'),
  seen('dark', 'wide'),
  seen('light', 'widest'),
  seen('dark', 'widest'),
];
