// Somebody debugs at night: signs and colours that everybody can read, and the ways from a name to
// the request that caused the trouble.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { management } from '../../system/client.ts';
import { findFaults } from '../accessibility.ts';
import { contrast, distance, type Vision, visions } from '../colours.ts';
import type { Flow } from '../flow.ts';
import type { Inspector } from '../inspector.ts';
import { takePicture } from '../pictures.ts';
import type { Stage } from '../stage.ts';
import { Onlooker } from '../vision.ts';
import type { Theme } from '../visitor.ts';
import { administrator } from './log-in.ts';

/** WCAG 2.2, 1.4.3: text. Signs are as small as text, so they keep to it, too. */
const contrastMin = 4.5;
/** In CIE L*a*b*: some ten times what a careful eye sees. */
const distanceMin = 18;

const meanings = ['good', 'waiting', 'bad', 'over'] as const;

/** A page with the question that it answers at night. */
interface Question {
  readonly page: string;
  readonly asks: string;
  /** Makes what it is about. @returns the address of the page */
  prepare(stage: Stage): Promise<string>;
  isAnswered(inspector: Inspector): Promise<void>;
}

const questions: readonly Question[] = [
  {
    page: 'first page',
    asks: 'is the controller well, and is anything broken?',
    prepare: async () => '#/',
    async isAnswered(inspector) {
      const life = inspector.region('Live machines').getByRole('article').first();
      await signOf(life.getByRole('link', { name: /serving/ }), 'good').waitFor();
      await signOf(life.getByRole('link', { name: /failed/ }), 'bad').waitFor();
    },
  },
  {
    page: 'session',
    asks: 'why can this user not get on, and who is it?',
    async prepare(stage) {
      const { sessionId } = await stage.logIn(await stage.person({ mfa: true }));
      return `#/machines/apiSession/${sessionId}`;
    },
    async isAnswered(inspector) {
      const { page } = inspector;
      await inspector.isIn('partial');
      await signOf(page.locator('dd .state'), 'waiting').waitFor();
      const legend = inspector.region('Legend');
      await legend.getByText('only if another factor is required that was not given').waitFor();
      const { Who } = await inspector.cells(inspector.transition('History', 'authenticate'));
      assert.match(Who ?? '', /^person-\d+$/, 'the login says who logged in');
      await page.locator('dd', { hasText: '127.0.0.1' }).waitFor();
    },
  },
  {
    page: 'service',
    asks: 'who may use this service, and since which change?',
    async prepare(stage) {
      await stage.admin.create('service-policies', {
        name: `night-users-${randomUUID()}`,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#all'],
        serviceRoles: ['#night-open'],
      });
      return `#/machines/service/${await openedService(stage)}`;
    },
    async isAnswered(inspector) {
      const access = inspector.region('Access');
      await access
        .getByRole('link', { name: /^night-users/ })
        .first()
        .waitFor();
      const { Changed } = await inspector.cells(inspector.transition('History', 'updated'));
      assert.match(Changed ?? '', /roleAttributes.*→.*night-open/s);
    },
  },
  {
    page: 'LSN page',
    asks: 'who did this, by which request, and what followed?',
    prepare: async (stage) => `#/log/${await lastChangeOf(stage, await openedService(stage))}`,
    async isAnswered(inspector) {
      const { page } = inspector;
      await inspector.heading(/^LSN [\d,]+$/).waitFor();
      const row = inspector.rows('Fields of service').filter({ hasText: 'roleAttributes' });
      const { Before, After } = await inspector.cells(row);
      assert.match(`${Before} ${After}`, /– .*night-open/s);
      await page.locator('dd', { hasText: 'patchService' }).waitFor();
      await page.locator('dl').getByRole('link', { name: /admin/i }).waitFor();
      await inspector.region('What followed').waitFor();
    },
  },
];

/** The sign of a meaning within something. */
function signOf(within: Locator, meaning: string): Locator {
  return within.getByRole('img', { name: meaning, exact: true }).first();
}

/** A service that a PATCH has opened. */
async function openedService({ admin }: Stage, name = `night-safe-${randomUUID()}`) {
  const id = await admin.create('services', { name, encryptionRequired: true });
  await admin.ask('PATCH', `${management}/services/${id}`, { roleAttributes: ['night-open'] });
  return id;
}

/** The frame that changed a service last. */
async function lastChangeOf(stage: Stage, service: string): Promise<number> {
  const path = `${management}/inspect/machines/service/instances/${service}/transitions`;
  const { changes } = await stage.admin.ask('GET', path);
  const [newest] = changes as readonly { readonly lsn: number }[];
  return newest?.lsn ?? 0;
}

/** The first sign of each meaning that is there, held against its ground and the others. */
async function evaluateSigns(inspector: Inspector, onlooker: Onlooker, vision: Vision) {
  const { page } = inspector;
  await onlooker.see(vision);
  const colours: string[] = [];
  for (const meaning of meanings) {
    const sign = page.locator(`svg.sign[aria-label="${meaning}"]:not(.is-empty svg)`).last();
    if ((await sign.count()) === 0) continue;
    const { ground, colour } = await onlooker.painted(sign);
    const ratio = contrast(colour, ground);
    assert(ratio >= contrastMin - 0.1, `${vision}, ${meaning}: ${colour} on ${ground}, ${ratio}`);
    for (const other of colours) {
      const far = distance(colour, other);
      assert(far >= distanceMin, `${vision}, ${meaning}: ${colour} beside ${other}, ${far}`);
    }
    colours.push(colour);
  }
  assert(colours.length > 0, 'there is a sign');
}

function atNight(theme: Theme, { page: name, asks, prepare, isAnswered }: Question): Flow {
  return {
    title: `at night, in ${theme}, with any eyes, the ${name} answers: ${asks}`,
    isLeftToNight: true,
    async walk({ stage, come }) {
      const inspector = await come({ theme });
      await inspector.enter(administrator, await prepare(stage));
      await isAnswered(inspector);
      const { failing } = await findFaults(inspector.page);
      assert.deepEqual(failing, [], 'contrast of text among others');
      const onlooker = await Onlooker.of(inspector.page);
      for (const vision of visions) {
        await evaluateSigns(inspector, onlooker, vision);
        const picture = `night-${name.replace(' ', '-')}-${theme}-${vision}`;
        await takePicture(inspector.page, picture);
      }
      await onlooker.leave();
    },
  };
}

const foundByName: Flow = {
  title: 'a service is found by a part of its name, and its change leads to the request and back',
  async walk({ stage, come }) {
    const service = await openedService(stage, 'the-hidden-lamp');
    const inspector = await come();
    const { page } = inspector;
    await inspector.enter(administrator);
    const find = page.getByRole('combobox', { name: 'Find', exact: true });
    await find.pressSequentially('hidden-lamp');
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    await found.filter({ hasText: 'the-hidden-lamp' }).waitFor();
    await find.press('Enter');
    await inspector.heading('the-hidden-lamp').waitFor();
    assert.equal(inspector.hash, `#/machines/service/${service}`);
    const updated = inspector.transition('History', 'updated');
    await updated.getByRole('cell').last().getByRole('link').click();
    await inspector.heading(/^LSN [\d,]+$/).waitFor();
    const changes = inspector.region('Changes');
    await changes.getByRole('link', { name: 'the-hidden-lamp', exact: true }).click();
    await inspector.heading('the-hidden-lamp').waitFor();
    await inspector.open('#/machines/service');
    await page.getByRole('link', { name: 'the-hidden-lamp', exact: true }).click();
    await inspector.heading('the-hidden-lamp').waitFor();
  },
};

const accessChanges: Flow = {
  title: 'who may use a service follows its policies while the page is open',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const { admin } = stage;
    const service = await openedService(stage);
    const name = `night-guests-${randomUUID()}`;
    const policy = await admin.create('service-policies', {
      name,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: [],
      serviceRoles: [`@${service}`],
    });
    const inspector = await come();
    await inspector.enter(administrator, `#/machines/service/${service}`);
    const link = inspector.region('Access').getByRole('link', { name, exact: true });
    await link.waitFor();
    await admin.ask('DELETE', `${management}/service-policies/${policy}`);
    await link.waitFor({ state: 'detached' });
  },
};

const past: Flow = {
  title: 'the page of transitions begins with what was before',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const id = await stage.admin.create('routers', { name: 'made-before-the-visit' });
    const inspector = await come();
    await inspector.enter(administrator, '#/transitions');
    const rows = inspector.rows('Live transitions');
    await rows
      .filter({ has: inspector.page.locator(`a[href$="/${id}"]`) })
      .first()
      .waitFor();
    const { transitions } = await stage.admin.ask('GET', `${management}/inspect/transitions`);
    const known = (transitions as readonly unknown[]).length;
    assert((await rows.count()) >= Math.min(known, 5), 'the last ones of the log');
    await inspector.button('Clear').click();
    await rows.first().waitFor({ state: 'detached' });
  },
};

const sessionsOfOne: Flow = {
  title: 'two sessions of one user are told apart, and names are links',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const person = await stage.person({});
    const [one] = [await stage.logIn(person), await stage.logIn(person)];
    const inspector = await come();
    const { page } = inspector;
    await inspector.enter(administrator, '#/machines/apiSession?filter=name%20%3D%20%22x%22');
    const filter = page.getByRole('textbox', { name: 'Filter' });
    await filter.fill(`name = "${person.username}"`);
    await inspector.button('Apply').click();
    const rows = inspector.rows('Instances of apiSession');
    await rows.nth(1).waitFor();
    const row = rows.filter({ has: page.locator(`a[href$="/${one?.sessionId}"]`) });
    const { Address, SDK, Client, Active } = await inspector.cells(row);
    assert.deepEqual([Address, SDK], ['127.0.0.1', '–']);
    assert.match(`${Client} ${Active}`, /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    await row.getByRole('link', { name: person.username, exact: true }).click();
    await inspector.heading(person.username).waitFor();
    await inspector.region('Relations').getByRole('link', { name: person.username }).click();
    await inspector
      .region('Referrers')
      .getByText(/127\.0\.0\.1 · .*active/)
      .first()
      .waitFor();
  },
};

/** At night. */
export const nightFlows: readonly Flow[] = [
  foundByName,
  past,
  sessionsOfOne,
  accessChanges,
  ...questions.flatMap((question) => [atNight('light', question), atNight('dark', question)]),
];
