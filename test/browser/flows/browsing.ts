// Browsing: machines, instances, and the links between them.

import assert from 'node:assert/strict';
import { machines } from '../../../machines/index.ts';
import type { Flow } from '../flow.ts';
import { administrator } from './log-in.ts';

const overview: Flow = {
  title:
    'the overview shows every machine kind with counts by state, and they change by themselves',
  async walk({ stage, come }) {
    const inspector = await come();
    const { page } = inspector;
    await inspector.enter(administrator);
    await inspector.heading('Machines').waitFor();
    for (const { machine } of machines) {
      await page.getByRole('heading', { level: 3, name: machine.id, exact: true }).waitFor();
    }
    for (const kind of ['life', 'snapshotter']) {
      const live = inspector.region('Live machines');
      await live.getByRole('heading', { level: 3, name: kind, exact: true }).waitFor();
    }
    const identities = await stage.admin.all('identities');
    const states = page.getByRole('list', { name: 'States of identity' });
    const told = async () => {
      const texts = await states.getByRole('link').allInnerTexts();
      return texts.reduce((sum, text) => sum + Number(text.replaceAll(/\D/g, '')), 0);
    };
    assert.equal(await told(), identities.length, 'all identities are counted');
    const name = new RegExp(`${identities.length + 1}`);
    await stage.invite('somebody-counted');
    await states.getByRole('link', { name }).waitFor();
  },
};

const list: Flow = {
  title: 'instances are filtered and paged, and a wrong filter is told',
  isLeftToNight: true,
  async walk({ stage, come }) {
    for (let n = 0; n < 30; n += 1) {
      const name = `paged-${String(n).padStart(2, '0')}`;
      await stage.admin.create('identities', { name, type: 'Default', isAdmin: false });
    }
    const inspector = await come();
    const { page, visitor } = inspector;
    await inspector.enter(administrator, '#/machines/identity');
    await inspector.heading('identity').waitFor();
    await page.getByRole('img', { name: /^Statechart of identity/ }).waitFor();
    const filter = page.getByRole('textbox', { name: 'Filter' });
    await filter.fill('name contains "paged-" sort by name');
    await inspector.button('Apply').click();
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByText('1 to 25 of 30').waitFor();
    assert.equal(await inspector.rows('Instances of identity').count(), 25);
    await inspector.button('Next page').click();
    await pages.getByText('26 to 30 of 30').waitFor();
    assert.equal(await inspector.rows('Instances of identity').count(), 5);
    await page.goBack();
    await pages.getByText('1 to 25 of 30').waitFor();
    visitor.expectRefusals(400);
    await filter.fill('name = = "x"');
    await inspector.button('Apply').click();
    await page.getByRole('alert').waitFor();
    await inspector.button('Clear filter').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.doesNotMatch(inspector.hash, /filter=./);
  },
};

const explained: Flow = {
  title: 'an identity tells why it can or cannot reach a service, down to hosts',
  async walk({ stage, come }) {
    const person = await stage.person({});
    const service = { name: 'explained-printer', encryptionRequired: true };
    await stage.admin.create('services', service);
    const inspector = await come();
    await inspector.enter(administrator, `#/machines/identity/${person.id}`);
    await inspector.heading(person.username).waitFor();
    const access = inspector.region('Access to a service');
    await access.getByRole('textbox', { name: 'Service' }).fill('nothing-of-this-name');
    await access.getByRole('button', { name: 'Explain' }).click();
    await access.getByText('There is no service nothing-of-this-name.').waitFor();
    await access.getByRole('textbox', { name: 'Service' }).fill('explained-printer');
    await access.getByRole('button', { name: 'Explain' }).click();
    const summary = access.getByRole('list', { name: 'Summary' });
    await summary.getByText("Service 'explained-printer' has no terminator").waitFor();
    const router = access.getByRole('link', { name: 'router', exact: true });
    await router.waitFor();
    await access.getByRole('heading', { name: 'Terminators' }).waitFor();
  },
};

const relations: Flow = {
  title: 'relations and referrers lead on, and the back button leads back',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const person = await stage.person({});
    const inspector = await come();
    const { page } = inspector;
    await inspector.enter(administrator, `#/machines/identity/${person.id}`);
    await inspector.heading(person.username).waitFor();
    const first = inspector.hash;
    const referrers = inspector.region('Referrers');
    const authenticator = referrers.locator('a[href*="/machines/authenticator/"]').first();
    await authenticator.click();
    await page.getByRole('img', { name: /^Statechart of authenticator/ }).waitFor();
    assert.match(inspector.hash, /^#\/machines\/authenticator\//);
    const back = inspector.region('Relations').locator(`a[href$="/identity/${person.id}"]`);
    await back.first().click();
    await inspector.heading(person.username).waitFor();
    assert.equal(inspector.hash, first);
    await page.goBack();
    await page.getByRole('img', { name: /^Statechart of authenticator/ }).waitFor();
    await page.goBack();
    await inspector.heading(person.username).waitFor();
    await page.goForward();
    await page.getByRole('img', { name: /^Statechart of authenticator/ }).waitFor();
  },
};

const nowhere: Flow = {
  title: 'an instance that is not there is told',
  isLeftToNight: true,
  async walk({ come }) {
    const inspector = await come();
    const { page, visitor } = inspector;
    await inspector.enter(administrator);
    visitor.allowRefusals(404);
    await inspector.open('#/machines/identity/nobody');
    await page.getByRole('alert').waitFor();
    await inspector.goTo('Figures');
  },
};

/** Ways through what there is. */
export const browsingFlows: readonly Flow[] = [overview, list, explained, relations, nowhere];
