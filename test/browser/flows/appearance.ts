// Every view in both themes and both widths: a picture of each, and what axe-core finds.

import assert from 'node:assert/strict';
import { findFaults } from '../accessibility.ts';
import { isTold } from '../asking.ts';
import type { Flow } from '../flow.ts';
import type { Inspector } from '../inspector.ts';
import { takePicture } from '../pictures.ts';
import type { Person, Stage } from '../stage.ts';
import type { Theme } from '../visitor.ts';
import { administrator } from './log-in.ts';

/** A view by its address, and what shows that it is whole. */
interface View {
  readonly name: string;
  readonly hash: string;
  readonly isWhole: (inspector: Inspector) => Promise<void>;
}

/** Pages of records that are there from the start. */
const recordViews: readonly View[] = [
  {
    name: 'record',
    hash: '#/machines/authPolicy/default',
    async isWhole(inspector) {
      await inspector.rows('Record').first().waitFor();
      await inspector.page.getByText(/the kept log reaches back to/i).waitFor();
    },
  },
  {
    name: 'frame',
    hash: '#/log/1',
    async isWhole(inspector) {
      await inspector.region('What followed').waitFor();
    },
  },
];

function viewsOf(stage: Stage, sessionId: string): readonly View[] {
  return [
    ...recordViews,
    {
      name: 'machines',
      hash: '#/',
      async isWhole(inspector) {
        await inspector.region('Live machines').getByRole('article').first().waitFor();
      },
    },
    {
      name: 'list',
      hash: '#/machines/identity',
      async isWhole(inspector) {
        await inspector.rows('Instances of identity').first().waitFor();
      },
    },
    {
      name: 'instance',
      hash: `#/machines/apiSession/${sessionId}`,
      async isWhole(inspector) {
        await inspector.isIn('full');
        await inspector.rows('Record').first().waitFor();
        await inspector.transition('History', 'completeSecondFactor').waitFor();
      },
    },
    {
      name: 'transitions',
      hash: '#/transitions',
      async isWhole(inspector) {
        await isTold(inspector, stage);
      },
    },
    {
      name: 'processes',
      hash: '#/processes',
      async isWhole(inspector) {
        await inspector.rows('Processes').first().waitFor();
      },
    },
    {
      name: 'figures',
      hash: '#/figures',
      async isWhole(inspector) {
        await inspector.page.getByRole('img', { name: /Requests a second/ }).waitFor();
      },
    },
    {
      name: 'found',
      hash: '#/',
      async isWhole({ page }) {
        // The view that appears takes the focus, and who loses it sees no list.
        await page.locator('h1:focus').waitFor();
        await page.getByRole('combobox', { name: 'Find', exact: true }).fill('admin');
        const found = page.getByRole('listbox', { name: 'Found' });
        await found.getByRole('option', { name: /admin/ }).first().waitFor();
      },
    },
    {
      name: 'refused',
      hash: '#/machines/identity?filter=name%20%3D',
      async isWhole({ page, visitor }) {
        visitor.allowRefusals(400);
        await page.getByRole('alert').waitFor();
      },
    },
  ];
}

/** Holds what is shown now against axe-core and its width, and leaves a picture. */
async function evaluate(
  inspector: Inspector,
  name: string,
  lesser: Set<string>,
): Promise<string[]> {
  const faults = await findFaults(inspector.page);
  for (const fault of faults.lesser) lesser.add(fault);
  await takePicture(inspector.page, name);
  await inspector.visitor.searchPage(name);
  const fits = await inspector.fitsItsWidth();
  return [...faults.failing, ...(fits ? [] : ['wider than the window'])].map(
    (fault) => `${name}: ${fault}`,
  );
}

function appearance(theme: Theme, size: 'wide' | 'narrow'): Flow {
  return {
    title: `every view is whole, accessible and fits: ${theme}, ${size}`,
    // By day, the map is walked in the other theme and size.
    isLeftToNight: theme === 'dark' || size === 'wide',
    async walk({ stage, come }) {
      const person = await stage.person({ isAdmin: true, mfa: true });
      const inspector = await come({ theme, size });
      const lesser = new Set<string>();
      const faults: string[] = [];
      const look = async (name: string) => {
        faults.push(...(await evaluate(inspector, `${name}-${theme}-${size}`, lesser)));
      };
      await inspector.open();
      await inspector.heading('Log in').waitFor();
      await look('log-in');
      await inspector.giveCredentials(person);
      await inspector.heading('Second factor').waitFor();
      await look('second-factor');
      await inspector.giveCode(person.code());
      await inspector.isLive();
      for (const { name, hash, isWhole } of viewsOf(stage, await sessionOf(stage, person))) {
        await inspector.open(hash);
        await isWhole(inspector);
        await look(name);
      }
      for (const fault of lesser) console.log(`  told only: ${fault.slice(0, 300)}`);
      assert.deepEqual(faults, []);
    },
  };
}

/** The id of the one session of somebody. */
async function sessionOf(stage: Stage, { id }: Person): Promise<string> {
  const found = (await stage.admin.all('api-sessions')).find(({ identityId }) => identityId === id);
  return String(found?.['id']);
}

const chosenTheme: Flow = {
  title: 'the theme can be chosen, whatever the system asks for, and is kept',
  isLeftToNight: true,
  async walk({ come }) {
    const inspector = await come({ theme: 'light' });
    const { page } = inspector;
    await inspector.enter(administrator);
    const ground = () =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await ground();
    const theme = page.getByRole('combobox', { name: 'Theme' });
    await theme.selectOption('Dark');
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.reload();
    await inspector.isLive();
    assert.equal(await ground(), dark, 'kept');
    await page.emulateMedia({ colorScheme: 'dark' });
    await theme.selectOption('Light');
    assert.equal(await ground(), light, 'light, though the system asks for dark');
    await theme.selectOption('System');
    assert.equal(await ground(), dark, 'as the system asks');
  },
};

/** How it looks. */
export const appearanceFlows: readonly Flow[] = [
  chosenTheme,
  ...(['light', 'dark'] as const).flatMap((theme) =>
    (['wide', 'narrow'] as const).map((size) => appearance(theme, size)),
  ),
];
