// The live stream of transitions: filtered, paused, and dropped where there are too many.

import assert from 'node:assert/strict';
import type { WebSocketRoute } from 'playwright-core';
import { management } from '../../system/client.ts';
import { comes, isTold, untilHeard } from '../asking.ts';
import type { Flow } from '../flow.ts';
import { takePicture } from '../pictures.ts';
import type { Person, Stage } from '../stage.ts';
import { administrator } from './log-in.ts';

const filtered: Flow = {
  title: 'transitions stream by, are filtered, paused and resumed',
  async walk({ stage, come }) {
    const inspector = await come();
    const { page, visitor } = inspector;
    const rows = inspector.rows('Live transitions');
    const shown = (id: string) => rows.filter({ has: page.locator(`a[href$="/${id}"]`) });
    const makeRouter = (name: string) => stage.admin.create('routers', { name });
    const makeIdentity = (name: string) =>
      stage.admin.create('identities', { name, type: 'Default', isAdmin: false });
    await inspector.enter(administrator, '#/transitions');
    await isTold(inspector, stage);
    await shown(await makeIdentity('streamed')).waitFor();
    const filter = page.getByRole('textbox', { name: 'Filter', exact: true });
    await filter.fill('kind = "router"');
    await inspector.button('Apply').click();
    await untilHeard(async (n) => {
      const hidden = await makeIdentity(`filtered-${n}`);
      if (!(await comes(shown(await makeRouter(`filtered-${n}`)), n))) return false;
      return (await shown(hidden).count()) === 0;
    });
    await inspector.button('Pause').click();
    await inspector.button('Resume').waitFor();
    await untilHeard(async (n) => {
      const hidden = await makeRouter(`paused-${n}`);
      await inspector.button('Resume').click();
      await untilHeard(async (m) => comes(shown(await makeRouter(`resumed-${n}-${m}`)), m));
      if ((await shown(hidden).count()) === 0) return true;
      await inspector.button('Pause').click();
      return false;
    });
    assert.match(await page.locator('.dropped').innerText(), /Dropped: 0/);
    visitor.allowRefusals(400);
    await filter.fill('nonsense');
    await inspector.button('Apply').click();
    await page.getByRole('alert').waitFor();
    await visitor.searchPage('the stream');
  },
};

/** Transitions of one commit: more than `inspectorTransitionsMax`. */
const burst = 300;

const dropped: Flow = {
  title: 'what is too much for the stream is dropped, counted and told',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const person = await stage.person({});
    const inspector = await come();
    const { page } = inspector;
    await logInOften(stage, person, burst);
    await inspector.enter(administrator, '#/transitions');
    await isTold(inspector, stage);
    // All their sessions end with them.
    await stage.admin.ask('DELETE', `${management}/identities/${person.id}`);
    await page.locator('.dropped', { hasText: /Dropped: [1-9]/ }).waitFor();
    await inspector.transition('Live transitions', 'remove').first().waitFor();
    await takePicture(page, 'transitions-dropped');
    await inspector.button('Clear').click();
    await page.locator('.dropped', { hasText: /Dropped: 0/ }).waitFor();
  },
};

const cut: Flow = {
  title: 'a stream that is cut is taken up again by itself',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const inspector = await come();
    const { page } = inspector;
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/inspect\/stream/, (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    });
    await inspector.enter(administrator, '#/transitions');
    await sockets[0]?.close();
    await page.locator('.connection', { hasText: /^reconnecting/ }).waitFor();
    await inspector.isLive();
    assert(sockets.length > 1, 'by another socket');
    await isTold(inspector, stage);
  },
};

async function logInOften(stage: Stage, person: Person, times: number): Promise<void> {
  for (let left = times; left > 0; left -= parallelLogIns) {
    await Promise.all(Array.from({ length: parallelLogIns }, () => stage.logIn(person)));
  }
}

/** As many as the stage has connections. */
const parallelLogIns = 8;

/** The stream. */
export const streamFlows: readonly Flow[] = [filtered, dropped, cut];
