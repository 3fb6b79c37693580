// The simulated front: a handler's answer as a test sees it.

import t from 'tap';
import type { HttpHandler } from '../../src/platform/http-exchange.ts';
import { inject, injectAbortable } from '../simulated/inject.ts';

const mirror: HttpHandler = (request, reply) => {
  const { method, path, query, peer } = request;
  const seen = { method, path, query, type: request.header('content-type'), peer: peer.address };
  reply.send(201, [['X-One', '1']], JSON.stringify({ seen, body: request.body.toString() }));
};

t.test('a request reaches the handler as a socket would bring it', async (t) => {
  const answer = await inject(mirror, { method: 'POST', url: '/a/b?c=d?e', body: { f: 1 } });
  t.equal(answer.status, 201);
  t.equal(answer.headers['x-one'], '1');
  t.same(answer.json(), {
    seen: {
      method: 'POST',
      path: '/a/b',
      query: 'c=d?e',
      type: 'application/json',
      peer: '127.0.0.1',
    },
    body: '{"f":1}',
  });
});

t.test('several lines of a header are one list', async (t) => {
  const answer = await inject((request, reply) => reply.send(200, [], request.header('accept')), {
    url: '/',
    headers: { Accept: ['a', 'b'] },
  });
  t.equal(answer.body.toString(), 'a, b');
});

t.test('a handler that throws rejects', async (t) => {
  const broken: HttpHandler = () => {
    throw new Error('broken');
  };
  await t.rejects(inject(broken, { url: '/' }), { message: 'broken' });
});

t.test('headers are gone after the first await', async (t) => {
  const late: HttpHandler = (request, reply) => {
    void Promise.resolve().then(() => {
      t.throws(() => request.header('accept'));
      reply.send(204, [], '');
    });
  };
  t.equal((await inject(late, { url: '/' })).status, 204);
});

t.test('a peer that left is seen and not answered', (t) => {
  const injection = injectAbortable(
    (_request, reply) => {
      setImmediate(() => {
        t.equal(reply.done, true);
        reply.send(200, [], '');
        t.end();
      });
    },
    { url: '/' },
  );
  injection.abort();
  void injection.answer.then(() => t.fail('answered'));
});
