// Data integrity runs of a real process: one is killed within, and the inspector shows their
// transitions, live and from the log.

import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import t from 'tap';
import type { StreamMessage, Transition, TransitionPage } from '../../src/inspect/messages.ts';
import { openWebSocket } from '../http/web-socket-client.ts';
import { anotherLook } from '../real-waits.ts';
import { type Api, connect, type Json, logIn, management } from './client.ts';
import { makeHome, type Serving, serve } from './process.ts';

const database = `${management}/database`;
const instance = `${management}/inspect/machines/integrityRun/instances/last`;

/** A run checks each of them and its places in indexes, which takes hundreds of milliseconds. */
const identitiesCount = 3000;

/** The results of the last run, once none is in progress. */
async function endedRun(admin: Api): Promise<Json> {
  for (;;) {
    const results = await admin.ask('GET', `${database}/data-integrity-results`);
    if (results['inProgress'] === false) return results;
    await anotherLook();
  }
}

/** The transitions of the runs, oldest first: their events and states. */
async function transitionsOf(admin: Api): Promise<string[]> {
  const page = (await admin.ask('GET', `${instance}/transitions`)) as unknown as TransitionPage;
  return page.transitions.map(shown).reverse();
}

const shown = ({ event, from, to }: Transition) => `${event}: ${from} to ${to}`;

/** Hears the transitions of runs until there are so many. */
async function live(serving: Serving, admin: Api) {
  const { ticket } = await admin.ask('POST', `${management}/inspect/tickets`);
  const { port, ca } = serving;
  const socket = connectTls({ host: '127.0.0.1', port, servername: 'localhost', ca });
  await once(socket, 'secureConnect');
  const stream = await openWebSocket(socket, `${management}/inspect/stream?ticket=${ticket}`);
  await stream.until((message: StreamMessage) => message.type === 'attached');
  return async (count: number) => {
    const heard: string[] = [];
    while (heard.length < count) {
      const message = await stream.until((one: StreamMessage) => one.type === 'transitions');
      if (message.type !== 'transitions') continue;
      const ofRuns = message.transitions.filter(({ kind }) => kind === 'integrityRun');
      heard.push(...ofRuns.map(shown));
    }
    socket.destroy();
    return heard;
  };
}

t.test('the inspector shows a run as it goes, and afterwards', async (t) => {
  const serving = await serve(t, makeHome(t));
  const admin = await logIn(connect(t, serving));
  const heard = await live(serving, admin);
  await admin.ask('POST', `${database}/check-data-integrity`);
  t.match(await endedRun(admin), { error: '', results: [] });
  const expected = ['start: idle to inProgress', 'finish: inProgress to idle'];
  t.same(await heard(2), expected, 'live');
  t.same(await transitionsOf(admin), ['create: none to idle', ...expected], 'from the log');
});

t.test('a run that SIGKILL ends is found interrupted', async (t) => {
  const home = makeHome(t);
  const first = await serve(t, home);
  const admin = await logIn(connect(t, first, 8));
  const body = { type: 'Default', isAdmin: false };
  const names = Array.from({ length: identitiesCount }, (_, number) => `i${number}`);
  await Promise.all(names.map((name) => admin.create('identities', { ...body, name })));
  await admin.ask('POST', `${database}/fix-data-integrity`);
  const results = await admin.ask('GET', `${database}/data-integrity-results`);
  t.match(results, { inProgress: true, fixingErrors: true });
  await first.process.kill();

  const second = await serve(t, home);
  const again = await logIn(connect(t, second));
  const found = await endedRun(again);
  const error = 'interrupted: the controller ended before the run did';
  t.match(found, { fixingErrors: true, startTime: results['startTime'], error, results: [] });
  t.same(await transitionsOf(again), [
    'create: none to idle',
    'start: idle to inProgress',
    'interrupt: inProgress to idle',
  ]);
  await again.ask('POST', `${database}/check-data-integrity`);
  t.match(await endedRun(again), { error: '', results: [] }, 'another run is carried out whole');
});
