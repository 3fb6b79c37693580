// The session of somebody with MFA, found and watched while its second factor is given.

import assert from 'node:assert/strict';
import { client } from '../../system/client.ts';
import type { Flow } from '../flow.ts';
import { takePicture } from '../pictures.ts';
import { administrator } from './log-in.ts';

const found: Flow = {
  title: 'a session is found by type-ahead and seen to go from partial to full, and to its end',
  async walk({ stage, come }) {
    const person = await stage.person({ mfa: true });
    const api = await stage.logIn(person);
    const inspector = await come();
    const { page } = inspector;
    await inspector.enter(administrator);
    await page.getByRole('combobox', { name: 'Kind to find in' }).selectOption('apiSession');
    const find = page.getByRole('combobox', { name: 'Find', exact: true });
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('option');
    const session = found.filter({ hasText: api.sessionId });
    // By a part of the id, then by the name of whose session it is.
    await find.pressSequentially(api.sessionId.slice(0, -2));
    await session.waitFor();
    await find.fill('');
    await find.pressSequentially(person.username);
    await session.waitFor();
    assert.match(await session.innerText(), /partial/);
    await find.press('ArrowDown');
    await find.press('Enter');
    await page.getByRole('img', { name: 'Statechart of apiSession, now in partial' }).waitFor();
    assert.equal(inspector.hash, `#/machines/apiSession/${api.sessionId}`);
    await inspector.isIn('partial');
    await takePicture(page, 'session-partial');
    assert.equal(await inspector.transition('History', 'completeSecondFactor').count(), 0);
    await stage.giveCode(api, person.code());
    await inspector.isIn('full');
    await page.getByRole('img', { name: 'Statechart of apiSession, now in full' }).waitFor();
    const row = inspector.transition('History', 'completeSecondFactor');
    const { Time, LSN, ...cells } = await inspector.cells(row);
    const { From, To, Who, Operation } = cells;
    assert.deepEqual([From, To, Operation], ['partial', 'full', 'authenticateMfa']);
    assert.match(Who ?? '', new RegExp(person.username));
    assert.match(LSN ?? '', /^[\d,]+$/);
    assert.match(Time ?? '', /\d\d:\d\d/);
    const first = await inspector.cells(inspector.transition('History', 'authenticate'));
    assert.equal(first['To'], 'partial', 'what was before the visitor came is there too');
    await page.getByText(/the kept log reaches back to/i).waitFor();
    await page.locator('g.chart-edge.is-taken').first().waitFor({ state: 'attached' });
    await takePicture(page, 'session-full');
    await inspector.visitor.searchPage('the session');
    // Asked for once more, it is no longer there.
    inspector.visitor.allowRefusals(404);
    await api.ask('DELETE', `${client}/current-api-session`);
    await inspector.isIn('ended');
    await inspector.transition('History', 'logOut').waitFor();
  },
};

const deaf: Flow = {
  title: 'what the stream did not tell of a session is found in the log',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const person = await stage.person({ mfa: true });
    const api = await stage.logIn(person);
    const inspector = await come();
    const { page } = inspector;
    await page.routeWebSocket(/\/inspect\/stream/, (socket) => {
      const server = socket.connectToServer();
      // It stays paused, as it is in views without transitions.
      socket.onMessage((text) => {
        if (String(text).includes('"pause"')) server.send(text);
      });
    });
    await inspector.enter(administrator, '#/processes');
    await inspector.open(`#/machines/apiSession/${api.sessionId}`);
    await inspector.isIn('partial');
    await inspector.transition('History', 'authenticate').waitFor();
    await stage.giveCode(api, person.code());
    await inspector.isIn('full');
    await inspector.transition('History', 'completeSecondFactor').waitFor();
  },
};

/** An administrator finds a session that fails and watches it become whole; streams may fail. */
export const sessionFlows: readonly Flow[] = [found, deaf];
