// The login: its steps against a fake of the management API, and what the page keeps of it.

import t from 'tap';
import {
  ApiProblem,
  type ApiRequest,
  type Ask,
  pathWith,
  requestHeaders,
} from '../../src/inspect/page/api.ts';
import {
  createSessionStore,
  giveCode,
  keptSession,
  keptText,
  logIn,
} from '../../src/inspect/page/session.ts';

interface Fake {
  readonly calls: string[];
  askAs(token: string): Ask;
}

function fake(answers: Readonly<Record<string, unknown>>): Fake {
  const calls: string[] = [];
  const askAs = (token: string): Ask => {
    return async <Data>(path: string, { method = 'GET' }: ApiRequest = {}) => {
      const call = `${method} ${path}`;
      calls.push(`${token} ${call}`.trim());
      const data = answers[call];
      if (data === undefined) throw new ApiProblem(401, 'UNAUTHORIZED', 'no');
      return { data: data as Data, totalCount: 0 };
    };
  };
  return { calls, askAs };
}

const authenticate = 'POST /authenticate?method=password';
const admin = { name: 'Ada', isAdmin: true };

const loggedOut = { phase: 'out', token: '', name: '', notice: '' } as const;

t.test('a password alone', async (t) => {
  const api = fake({
    [authenticate]: { token: 't1', authQueries: [] },
    'GET /current-identity': admin,
  });
  const step = await logIn(api.askAs, 'ada', 'secret');
  t.strictSame(step, { step: 'loggedIn', token: 't1', name: 'Ada' });
  t.strictSame(api.calls, [authenticate, 't1 GET /current-identity']);
});

t.test('a code that is owed', async (t) => {
  const api = fake({
    [authenticate]: { token: 't1', authQueries: [{ typeId: 'MFA', isTotpEnrolled: true }] },
    'POST /authenticate/mfa': {},
    'GET /current-identity': admin,
  });
  t.strictSame(await logIn(api.askAs, 'ada', 'secret'), { step: 'factorOwed', token: 't1' });
  t.strictSame(await giveCode(api.askAs, 't1', '123456'), {
    step: 'loggedIn',
    token: 't1',
    name: 'Ada',
  });
});

t.test('a user that is no administrator is logged out again', async (t) => {
  const api = fake({
    [authenticate]: { token: 't1', authQueries: [] },
    'GET /current-identity': { name: 'Bob', isAdmin: false },
    'DELETE /current-api-session': {},
  });
  await t.rejects(logIn(api.askAs, 'bob', 'secret'), { code: 'UNAUTHORIZED' });
  t.equal(api.calls.at(-1), 't1 DELETE /current-api-session');
});

t.test('factors that the page cannot give', async (t) => {
  for (const query of [{ typeId: 'EXT-JWT' }, { typeId: 'MFA', isTotpEnrolled: false }]) {
    const api = fake({ [authenticate]: { token: 't1', authQueries: [query] } });
    await t.rejects(logIn(api.askAs, 'ada', 'secret'), { code: 'FACTOR' });
    t.equal(api.calls.at(-1), 't1 DELETE /current-api-session');
  }
});

t.test('a wrong password and a wrong code', async (t) => {
  await t.rejects(logIn(fake({}).askAs, 'ada', 'wrong'), { code: 'UNAUTHORIZED' });
  await t.rejects(giveCode(fake({}).askAs, 't1', '000000'), { code: 'UNAUTHORIZED' });
});

t.test('the session from beginning to end', async (t) => {
  const store = createSessionStore(loggedOut);
  const state = () => store.getSnapshot().context;
  store.send({ type: 'factorOwed', token: 't1' });
  t.match(state(), { phase: 'factor', token: 't1' });
  t.equal(keptText(state()), undefined, 'half a login is not kept');
  store.send({ type: 'loggedIn', token: 't1', name: 'Ada' });
  t.strictSame(keptSession(keptText(state()) ?? ''), state());
  store.send({ type: 'ended', token: 't0', notice: 'late' });
  t.equal(state().phase, 'in', 'an answer to an earlier session says nothing of this one');
  store.send({ type: 'ended', token: 't1', notice: 'over' });
  t.strictSame(state(), { ...loggedOut, notice: 'over' });
});

t.test('nothing that was kept is trusted', async (t) => {
  for (const text of [null, '', 'x', '{}', '{"token":1}', '[]', 'null']) {
    t.strictSame(keptSession(text), loggedOut, `${text}`);
  }
});

t.test('what a request says', async (t) => {
  t.strictSame(requestHeaders('', false), { accept: 'application/json' });
  t.match(requestHeaders('t1', true), { 'zt-session': 't1', 'content-type': 'application/json' });
  t.equal(
    pathWith('/a', { filter: 'a = "b"', sort: '', offset: 0 }),
    '/a?filter=a+%3D+%22b%22&offset=0',
  );
  t.equal(pathWith('/a', { filter: '' }), '/a');
});
