// When key sets of external JWT signers are fetched, cached, shared and dropped.

import t from 'tap';
import { createSignerKeys } from '../../src/auth/external-jwt/jwks-endpoints.ts';
import type { BoundValues } from '../../src/settings/bounds.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { jwks, newKey, provider } from './identity-provider.ts';
import { KeptLog, ScriptedFetch } from './scripted-fetch.ts';

const first = await newKey('ES256', 'first');
const second = await newKey('ES256', 'second');

function setUp(bounds: BoundValues = {}) {
  const clock = new SimulatedClock();
  const script = new ScriptedFetch();
  const log = new KeptLog();
  script.body = jwks(first);
  const { fetch } = script;
  const keys = createSignerKeys({
    fetch,
    clock,
    log,
    bounds,
    limits: { ...defaultLimits, ...bounds },
  });
  return { clock, script, log, keys, signer: provider() };
}

t.test('a key set is fetched within the bounds, once for all that wait for it', async (t) => {
  const { keys, script, signer } = setUp();
  t.equal(keys.current(signer), undefined);
  t.same(script.asked, [], 'looking fetches nothing');
  t.ok(keys.mayLoad(signer));
  script.hold();
  const all = [keys.load(signer), keys.load(signer)];
  t.ok(keys.mayLoad(signer), 'there is something to wait for');
  all.push(keys.load(signer));
  script.release();
  await Promise.all(all);
  t.same(script.asked, ['https://idp.example.com/keys']);
  t.same(script.bounds, [{ timeoutMs: 5000, bodyBytesMax: 1024 * 1024, redirectsMax: 5 }]);
  t.ok(keys.current(signer)?.find('first', 'ES256'));
});

t.test('the bounds are those of the limits', async (t) => {
  const limits = { jwksTimeoutMs: 100, jwksBytesMax: 2000, jwksRedirectsMax: 0, jwksKeysMax: 1 };
  const { keys, script, signer } = setUp(limits);
  script.body = jwks(first, second);
  await keys.load(signer);
  t.same(script.bounds, [{ timeoutMs: 100, bodyBytesMax: 2000, redirectsMax: 0 }]);
  t.same(
    ['first', 'second'].map((kid) => keys.current(signer)?.has(kid)),
    [true, false],
  );
});

t.test('at most one fetch per second and signer', async (t) => {
  const { keys, script, signer, clock } = setUp();
  const other = provider({ id: 'signer-2' });
  await keys.load(signer);
  for (const ms of [0, 500, 499]) {
    clock.advance(ms);
    t.notOk(keys.mayLoad(signer));
    await keys.load(signer);
    keys.warm(signer);
  }
  t.equal(script.asked.length, 1);
  t.ok(keys.mayLoad(other), 'another signer does not wait');
  clock.advance(1);
  t.ok(keys.mayLoad(signer));
  await keys.load(signer);
  t.equal(script.asked.length, 2);
});

t.test('a slow fetch counts from its end', async (t) => {
  const { keys, script, signer, clock } = setUp();
  script.hold();
  const load = keys.load(signer);
  clock.advance(4000);
  script.release();
  await load;
  t.notOk(keys.mayLoad(signer));
});

t.test('the pause doubles with every failure, up to a minute', async (t) => {
  const { keys, script, signer, clock, log } = setUp();
  await keys.load(signer);
  script.isDown = true;
  for (const pauseMs of [1000, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    clock.advance(pauseMs - 1);
    t.notOk(keys.mayLoad(signer), `${pauseMs - 1} ms`);
    clock.advance(1);
    t.ok(keys.mayLoad(signer), `${pauseMs} ms`);
    await keys.load(signer);
  }
  t.ok(keys.current(signer)?.has('first'), 'the old keys go on');
  t.equal(log.lines.length, 9);
  t.same(log.lines[8], {
    signerId: 'signer-1',
    failures: 9,
    reason: 'the network is down',
    message: 'the key set of an external JWT signer was not fetched',
  });
  t.notOk(keys.mayLoad(signer));
  clock.advance(1000);
  keys.warm(signer);
  t.equal(script.asked.length, 11, 'an update of the signer does not wait for what failed before');

  script.isDown = false;
  clock.advance(120_000);
  await keys.load(signer);
  clock.advance(1000);
  t.ok(keys.mayLoad(signer), 'a success ends the doubling');
});

t.test('the pause after a thousand failures is still the longest one', async (t) => {
  const { keys, script, signer, clock } = setUp({ jwksPauseMaxMs: 2000 });
  script.isDown = true;
  for (let failures = 0; failures < 1100; failures++) {
    clock.advance(2000);
    await keys.load(signer);
  }
  t.equal(script.asked.length, 1100);
});

t.test('an answer that is no key set is a failure', async (t) => {
  const { keys, script, signer, clock, log } = setUp();
  await keys.load(signer);
  const before = keys.current(signer);
  const answers: [number, string, RegExp][] = [
    [404, jwks(second), /answered 404/],
    [302, jwks(second), /answered 302/],
    [200, '<html>top secret</html>', /is not JSON/],
    [200, '', /is not JSON/],
    [200, '[]', /no JSON Web Key Set/],
    [200, 'null', /no JSON Web Key Set/],
    [200, '{"keys":{}}', /no JSON Web Key Set/],
  ];
  for (const [status, body, reason] of answers) {
    Object.assign(script, { status, body });
    clock.advance(60_000);
    await keys.load(signer);
    t.match(log.lines.at(-1)?.['reason'], reason);
  }
  t.equal(keys.current(signer), before);
  t.notMatch(JSON.stringify(log.lines), /secret/);
});

t.test('rotation: the set is replaced; the same bytes leave it as it is', async (t) => {
  const { keys, script, signer, clock } = setUp();
  await keys.load(signer);
  const before = keys.current(signer);
  clock.advance(1000);
  await keys.load(signer);
  t.equal(keys.current(signer), before, 'the same object');
  script.body = jwks(second);
  clock.advance(1000);
  await keys.load(signer);
  t.same(
    ['first', 'second'].map((kid) => keys.current(signer)?.has(kid)),
    [false, true],
  );
  script.body = '{"keys":[]}';
  clock.advance(1000);
  await keys.load(signer);
  t.notOk(keys.current(signer)?.has('second'), 'a provider may take back all');
});

t.test('an old key set is fetched again while it is still in use', async (t) => {
  const { keys, script, signer, clock } = setUp({ jwksRefreshMs: 10_000 });
  await keys.load(signer);
  clock.advance(9999);
  keys.current(signer);
  t.equal(script.asked.length, 1);
  clock.advance(1);
  script.body = jwks(second);
  t.ok(keys.current(signer)?.has('first'), 'nobody waits');
  t.equal(script.asked.length, 2);
  await clock.settle();
  t.notOk(keys.current(signer)?.has('first'), 'a key that was taken back is gone');
  t.equal(script.asked.length, 2);
  script.isDown = true;
  clock.advance(10_000);
  for (let looks = 0; looks < 5; looks++) {
    t.ok(keys.current(signer)?.has('second'));
    await clock.settle();
  }
  t.equal(script.asked.length, 3, 'failures rest here too');
});

t.test('another address has other keys, at once; another name the same', async (t) => {
  const { keys, script, signer } = setUp();
  await keys.load(signer);
  const renamed = provider({ issuer: 'https://renamed.example.com' });
  t.equal(keys.current(renamed), keys.current(signer));
  const moved = provider({ jwksEndpoint: 'https://moved.example.com/keys' });
  t.equal(keys.current(moved), undefined);
  t.ok(keys.mayLoad(moved), 'no pause after the fetch elsewhere');
  script.body = jwks(second);
  keys.warm(moved);
  await keys.load(moved);
  t.same(script.asked, ['https://idp.example.com/keys', 'https://moved.example.com/keys']);
  t.same(
    ['first', 'second'].map((kid) => keys.current(moved)?.has(kid)),
    [false, true],
  );
});

t.test('an answer from a former address is dropped', async (t) => {
  const { keys, script, signer } = setUp();
  script.hold();
  const load = keys.load(signer);
  const moved = provider({ jwksEndpoint: 'https://moved.example.com/keys' });
  t.equal(keys.current(moved), undefined);
  script.release();
  await load;
  t.equal(keys.current(moved), undefined);
});

t.test('a deleted signer leaves nothing', async (t) => {
  const { keys, signer } = setUp();
  await keys.load(signer);
  keys.forget(signer.id);
  t.equal(keys.current(signer), undefined);
});

t.test('a signer with neither certificate nor endpoint has no keys', async (t) => {
  const { keys, script } = setUp();
  const bare = provider({ jwksEndpoint: undefined });
  t.equal(keys.current(bare), undefined);
  t.notOk(keys.mayLoad(bare));
  await keys.load(bare);
  keys.warm(bare);
  t.same(script.asked, []);
});
