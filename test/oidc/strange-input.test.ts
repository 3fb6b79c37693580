// Whatever a stranger sends to the provider, it is answered, and nothing fails inside.

import t from 'tap';
import { oidcOperations } from '../../src/oidc/index.ts';
import * as fc from '../properties.ts';
import { adminPassword, adminUser, bootNetwork } from '../simulated/network.ts';
import { OidcClient } from './oidc-client.ts';

const names = `
  client_id redirect_uri response_type scope state nonce prompt method code_challenge
  code_challenge_method configTypes id authRequestID username password csrPem code formToken
  grant_type code_verifier refresh_token subject_token subject_token_type requested_token_type token
  id_token_hint post_logout_redirect_uri envOs sdkAppID __proto__ constructor
`
  .trim()
  .split(/\s+/);

/** Values that mean something somewhere, and values that mean nothing. */
function valuesOf(known: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(...known, 'native', 'code', 'S256', '', '\0', '%', 'a'.repeat(3000)),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
}

t.test('any parameters at any endpoint', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const tokens = await client.tokens(adminUser, adminPassword);
  const id = await client.begin();
  const code = await client.begin().then(async (other) => {
    await client.logIn(other, adminUser, adminPassword);
    return client.code(other);
  });
  const value = valuesOf([id, code, ...Object.values(tokens).map(String)]);
  const parameters = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 12 });
  const operation = fc.constantFrom(...oidcOperations);
  const accept = fc.constantFrom('', 'text/html', 'application/json', '*/*');
  await fc.assert(
    fc.asyncProperty(operation, parameters, parameters, accept, async (one, query, form, how) => {
      const search = new URLSearchParams(query);
      const isForm = one.method !== 'GET';
      const answer = await network.call(one.method, `/oidc${one.path}?${search}`, {
        token: null,
        ...(isForm ? { body: new URLSearchParams(form).toString() } : {}),
        headers: {
          host: 'localhost:1280',
          accept: how,
          ...(isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        },
      });
      const { status, headers } = answer;
      if (status >= 500) throw new Error(`${one.id}: ${status} ${answer.body.toString()}`);
      const isText = (headers['content-type'] ?? '').startsWith('text/');
      if (status >= 400 && !isText) answer.json();
      const place = headers['location'] ?? '';
      if (/^(https?:\/\/(?!localhost:)|javascript:)/.test(place)) throw new Error(place);
    }),
    { numRuns: 2000 },
  );
  t.same(network.logged, [], 'nothing failed inside');
  await network.stop();
});

t.test('JSON of any shape at the logins', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const id = await client.begin();
  const withBody = oidcOperations.filter(({ body }) => body !== undefined);
  const body = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.record({ id: fc.constantFrom(id, '', 1), code: fc.anything(), username: fc.anything() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...withBody), body, async (one, given) => {
      const answer = await network.call(one.method, `/oidc${one.path}`, {
        token: null,
        body: typeof given === 'string' ? given : JSON.stringify(given, plain),
        headers: { host: 'localhost:1280', 'content-type': 'application/json' },
      });
      if (answer.status >= 500) throw new Error(`${one.id}: ${answer.body.toString()}`);
    }),
    { numRuns: 1000 },
  );
  t.same(network.logged, [], 'nothing failed inside');
  await network.stop();
});

/** JSON has no large integers. */
const plain = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? Number(value) : value;
