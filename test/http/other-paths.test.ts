// What is served outside both APIs: by path, without a session.

import t from 'tap';
import { answerOutside, type OutsideHandler } from '../../src/http/application/other-paths.ts';
import type { HttpHandler } from '../../src/platform/http-exchange.ts';
import { inject } from '../simulated/inject.ts';
import { bootNetwork } from '../simulated/network.ts';

const page: OutsideHandler = {
  path: '/inspect',
  isPrefix: true,
  methods: ['GET'],
  answer: ({ path }) => ({ status: 200, headers: [['content-type', 'text/plain']], body: path }),
};

const exact: OutsideHandler = {
  path: '/health-checks',
  methods: ['GET', 'POST'],
  answer: () => ({ status: 503, headers: [], body: Buffer.from('no') }),
};

const handler: HttpHandler = (request, reply) => {
  if (!answerOutside([page, exact], request, reply)) reply.send(404, [], '');
};

t.test('one path, or all below it', async (t) => {
  const answers: string[] = [];
  for (const url of ['/inspect', '/inspect/', '/inspect/a/b.js?c', '/inspector', '/inspec']) {
    const { status, body } = await inject(handler, { url });
    answers.push(`${status} ${body}`);
  }
  t.same(answers, ['200 /inspect', '200 /inspect/', '200 /inspect/a/b.js', '404 ', '404 ']);
  t.equal((await inject(handler, { url: '/health-checks' })).body.toString(), 'no');
  t.equal((await inject(handler, { url: '/health-checks/v1' })).status, 404);
});

t.test('HEAD comes with GET, another method is told which there are', async (t) => {
  const head = await inject(handler, { method: 'HEAD', url: '/inspect' });
  t.same([head.status, head.body.length], [200, 0]);
  t.equal((await inject(handler, { method: 'POST', url: '/health-checks' })).status, 503);
  for (const method of ['PUT', 'OPTIONS']) {
    await t.rejects(inject(handler, { method, url: '/health-checks' }), {
      code: 'METHOD_NOT_ALLOWED',
      headers: [['allow', 'GET, HEAD, POST']],
    });
  }
});

t.test('through the application', async (t) => {
  const network = await bootNetwork();
  const refused = await network.call('DELETE', '/health-checks', { token: null });
  t.same([refused.status, refused.code], [405, 'METHOD_NOT_ALLOWED']);
  t.equal(refused.headers['allow'], 'GET, HEAD');
  const answer = await network.call('GET', '/health-checks', { token: null });
  t.equal(answer.status, 200);
  t.equal((await network.call('GET', '/health-checks/none', { token: null })).status, 404);
  await network.stop();
});
