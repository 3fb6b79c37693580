// External JWTs against a real JWKS server over HTTPS that is slow, broken, huge or rotating.

import t, { type Test } from 'tap';
import { onlySigner } from '../../src/auth/external-jwt/candidates.ts';
import { createExternalJwts } from '../../src/auth/external-jwt/external-jwt.ts';
import { createFetch } from '../../src/platform/fetch.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import { issue } from '../http/certificates.ts';
import { type Handler, startLocalServer } from '../local-server.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import {
  bearers,
  claims,
  jwks,
  newKey,
  provider,
  sign,
  startSeconds,
} from './identity-provider.ts';
import { KeptLog } from './scripted-fetch.ts';

const authority = await issue('Test Root', { authority: true });
const certificate = await issue('localhost', { issuer: authority });
const rsa = await newKey('RS256', 'rsa');
const ec = await newKey('ES384', 'ec');

function answering(body: string): Handler {
  return (_request, response) => void response.end(body);
}

async function setUp(t: Test, handler: Handler) {
  const server = await startLocalServer(t, handler, certificate);
  const clock = new SimulatedClock();
  const log = new KeptLog();
  const fetch = createFetch({ clock, trusted: [authority.certificate] });
  const jwts = createExternalJwts({ fetch, clock, log, limits: defaultLimits });
  const signers = onlySigner(provider({ jwksEndpoint: `${server.url}/keys` }));
  const prove = async (token: string): Promise<string | undefined> => {
    const tokens = bearers(token);
    await jwts.fetchKeys(tokens, signers);
    await jwts.check(tokens, signers);
    const { verified, refused } = jwts.examine(tokens, signers);
    return verified[0]?.claim ?? refused[0]?.reason;
  };
  return { server, clock, log, prove };
}

t.test('RSA and EC, one fetch', async (t) => {
  const { server, prove } = await setUp(t, answering(jwks(rsa, ec)));
  t.equal(await prove(await sign(rsa)), 'alice');
  t.equal(await prove(await sign(ec)), 'alice');
  t.same(server.asked, ['/keys']);
});

t.test('rotating keys', async (t) => {
  const { server, prove, clock } = await setUp(t, answering(jwks(rsa)));
  const [old, next] = [await sign(rsa), await sign(ec)];
  t.equal(await prove(old), 'alice');
  t.equal(await prove(next), 'unknown key');
  server.handler = answering(jwks(ec));
  clock.advance(1000);
  t.equal(await prove(next), 'alice');
  t.equal(await prove(old), 'unknown key');
  t.equal(server.asked.length, 2);
});

t.test('a thousand keys, and the last of them', async (t) => {
  const others = Array.from({ length: 999 }, (_, index) => ({ ...rsa.jwk, kid: `other-${index}` }));
  const { prove } = await setUp(t, answering(JSON.stringify({ keys: [...others, ec.jwk] })));
  t.equal(await prove(await sign(ec)), 'alice');
});

t.test('a huge set', async (t) => {
  const keys = [ec.jwk, { padding: 'x'.repeat(1024 * 1024) }];
  const { prove, log } = await setUp(t, answering(JSON.stringify({ keys })));
  t.equal(await prove(await sign(ec)), 'unknown key');
  t.match(log.lines, [{ reason: 'The answer is longer than 1048576 bytes.' }]);
});

t.test('a slow server, then a good one', async (t) => {
  const { server, prove, clock, log } = await setUp(t, () => undefined);
  const token = await sign(ec);
  const request = server.next();
  const proof = prove(token);
  await request;
  clock.advance(5000);
  t.equal(await proof, 'unknown key');
  t.match(log.lines, [{ reason: 'There was no whole answer within 5000 ms.' }]);
  server.handler = answering(jwks(ec));
  t.equal(await prove(token), 'unknown key', 'nobody waits again at once');
  clock.advance(1000);
  t.equal(await prove(token), 'alice');
});

t.test('broken servers', async (t) => {
  const { server, prove, clock, log } = await setUp(t, answering('{"keys":['));
  const token = await sign(ec, claims({ exp: startSeconds + 3600 }));
  const handlers: Handler[] = [
    answering('{"keys":['),
    (_request, response) => void response.writeHead(500).end(jwks(ec)),
    (_request, response) => void response.socket?.destroy(),
    (_request, response) => void response.writeHead(302, { location: 'http://localhost/' }).end(),
  ];
  for (const handler of handlers) {
    server.handler = handler;
    t.equal(await prove(token), 'unknown key');
    clock.advance(60_000);
  }
  t.equal(log.lines.length, handlers.length);
  server.handler = answering(jwks(ec));
  t.equal(await prove(token), 'alice');
});
