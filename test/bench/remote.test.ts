// Cleaning up in the network of others: only entities with the marks of the run are deleted, page
// by page.

import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { Marks } from '../../bench/marks.ts';
import type { Bulk } from '../../bench/network.ts';
import { cleanUp, targetOfUrl } from '../../bench/remote.ts';
import type { Target } from '../../bench/target.ts';
import { makeServerIdentity } from './server-identity.ts';

interface Entity {
  readonly id: string;
  readonly name: string;
}

/** A controller that knows logins and lists; two rows a page. */
async function serveApi(t: Test, entities: Map<string, Entity[]>): Promise<Target> {
  const identity = await makeServerIdentity(t);
  const server = createServer(identity.options, (request, response) => {
    const url = new URL(request.url ?? '', 'https://localhost');
    const kind = url.pathname.split('/').at(-1) ?? '';
    const found = /contains "(.*)"/.exec(url.searchParams.get('filter') ?? '')?.[1] ?? '';
    const rows = entities.get(kind)?.filter(({ name }) => name.includes(found)) ?? [];
    const data = kind === 'authenticate' ? { token: 'T' } : rows.slice(0, 2);
    response.end(JSON.stringify({ data, meta: {} }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    serverName: 'localhost',
    caFile: identity.caFile,
    administrator: { username: 'boss', password: 'secret' },
  };
}

t.test('deletes marked entities, and nothing that only looks similar', async (t) => {
  const entities = new Map([
    ['identities', ['b-1-a', 'b-1-b', 'b-1-c', 'boss'].map((name) => ({ id: name, name }))],
    ['services', ['theirs', 'not b-1-'].map((name) => ({ id: name, name }))],
  ]);
  const target = await serveApi(t, entities);
  const deleted: string[] = [];
  const bulk: Bulk = async (count, request) => {
    t.equal(request.method, 'DELETE');
    t.equal(request.headers['zt-session'], 'T');
    const slot = request.slots['id'];
    const ids = slot?.kind === 'list' ? slot.values : [];
    t.equal(ids.length, count);
    deleted.push(...ids);
    const kind = request.path.split('/').at(-2) ?? '';
    entities.set(kind, entities.get(kind)?.filter(({ id }) => !ids.includes(id)) ?? []);
    return [];
  };
  t.equal(await cleanUp(target, bulk, new Marks('b-1-')), 3);
  t.same(deleted, ['b-1-a', 'b-1-b', 'b-1-c']);
  t.same(
    entities.get('identities')?.map(({ name }) => name),
    ['boss'],
  );
});

t.test('never without a prefix', async (t) => {
  const target = {
    host: 'h',
    port: 1,
    serverName: 'h',
    administrator: { username: '', password: '' },
  };
  await t.rejects(
    cleanUp(target, async () => [], new Marks('')),
    RangeError,
  );
});

t.test('a URL is a target without a process', async (t) => {
  const target = targetOfUrl({
    url: 'https://h:1',
    host: 'h',
    port: 1,
    caFile: undefined,
    administrator: { username: 'a', password: 'b' },
  });
  t.match(target, { host: 'h', port: 1, serverName: 'h' });
  t.equal(target.pid, undefined);
  t.equal(target.home, undefined);
});
