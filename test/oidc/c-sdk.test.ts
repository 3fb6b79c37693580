// The whole life of a C SDK by OIDC, request by request as it sends them: it reads each `Location`
// by itself, and takes everything behind `code=` for the code.

import t, { type Test } from 'tap';
import { sign, startSeconds, claims as tokenClaims } from '../auth/identity-provider.ts';
import { certificatesIn, enrollWith, newIdentity } from '../contract/enrollment/enrolling.ts';
import { setUp as bootWithSigner, key } from '../contract/login/second-factor-token.ts';
import { makeRequest } from '../simulated/certificates.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { dialable } from './dialable.ts';
import { claimsIn, host, OidcClient, type Tokens, tokensIn, verifier } from './oidc-client.ts';

const redirectUri = 'http://localhost:20314/auth/callback';
const state = 'state-of-the-sdk';
const halfLifeMs = 15 * 60_000;

/** What it reads of the discovery document. */
interface Endpoints {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

/** How it logs in, and the certificate of its connection. */
interface LogIn {
  readonly by: 'cert' | 'ext-jwt';
  readonly certificates: readonly Buffer[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A C SDK. */
class CSdk {
  readonly network: Network;
  readonly #logIn: LogIn;
  readonly #client: OidcClient;

  constructor(network: Network, logIn: LogIn) {
    this.network = network;
    this.#logIn = logIn;
    this.#client = new OidcClient(network, 'openziti');
  }

  /** All steps of a login. */
  async logIn(): Promise<Tokens> {
    const { by, certificates, headers = {} } = this.#logIn;
    const { authorization_endpoint, token_endpoint } = await this.#discovered();
    const id = await this.#authorize(authorization_endpoint);
    const login = await this.#post(`/oidc/login/${by}?id=${id}`, {
      body: {
        configTypes: ['all'],
        envInfo: { os: 'Linux', osRelease: '6.1', osVersion: '#1 SMP', arch: 'x86_64' },
        sdkInfo: { type: 'ziti-sdk-c', version: '1.9.0', appId: 'a test', appVersion: '1' },
      },
      headers,
    });
    const callback = login.headers['location'] ?? '';
    const back = await this.network.call('GET', pathOf(callback), {
      token: null,
      headers: { host },
      certificates,
    });
    const location = back.headers['location'] ?? '';
    const code = location.slice(location.indexOf('code=') + 'code='.length);
    const fields = [
      `code=${code}`,
      `code_verifier=${verifier}`,
      `state=${state}`,
      'grant_type=authorization_code',
      'client_id=openziti',
      `redirect_uri=${encodeURIComponent(redirectUri)}`,
    ];
    return tokensIn(await this.#form(pathOf(token_endpoint), fields));
  }

  /** It names itself in the form and by HTTP Basic. */
  async refresh({ refresh_token }: Tokens): Promise<Tokens> {
    const fields = [
      'grant_type=refresh_token',
      'client_id=openziti',
      `refresh_token=${refresh_token}`,
    ];
    const basic = Buffer.from('openziti:').toString('base64');
    const headers = { authorization: `Basic ${basic}` };
    return tokensIn(await this.#form('/oidc/oauth/token', fields, headers));
  }

  /** Calls the client API with an access token. */
  async ask<T>(method: string, path: string, { access_token }: Tokens, body?: object): Promise<T> {
    const { certificates } = this.#logIn;
    const options = { body, certificates };
    const answer = await this.#client.call(method, `C:${path}`, access_token, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body.toString()}`);
    return answer.data as T;
  }

  async #discovered(): Promise<Endpoints> {
    const answer = await this.#client.get('/oidc/.well-known/openid-configuration');
    return answer.json() as Endpoints;
  }

  /** All parameters are in the query of a POST without a body. */
  async #authorize(endpoint: string): Promise<string> {
    const { code_challenge } = this.#client.authorization();
    const query = new URLSearchParams({
      client_id: 'openziti',
      scope: 'openid offline_access',
      response_type: 'code',
      redirect_uri: redirectUri,
      code_challenge: String(code_challenge),
      code_challenge_method: 'S256',
      state,
      audience: 'openziti',
    });
    const { headers } = await this.#post(`${pathOf(endpoint)}?${query}`, {});
    const location = headers['location'] ?? '';
    const marker = 'authRequestID=';
    return location.slice(location.indexOf(marker) + marker.length);
  }

  #form(path: string, fields: readonly string[], headers: Readonly<Record<string, string>> = {}) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.#post(path, { body: fields.join('&'), headers: { ...type, ...headers } });
  }

  #post(
    path: string,
    { body, headers }: { body?: unknown; headers?: Readonly<Record<string, string>> },
  ) {
    const { certificates } = this.#logIn;
    const options = { token: null, body, certificates, headers: { host, ...headers } };
    return this.network.call('POST', path, options);
  }
}

const pathOf = (url: string) => url.replace(/^https:\/\/[^/]+/, '');

/** A login, three refreshes at half life, a session certificate, services, and a session. */
async function wholeLife(t: Test, sdk: CSdk): Promise<Tokens> {
  const serviceId = await dialable(sdk.network);
  let tokens = await sdk.logIn();
  const { z_asid, amr, auth_time } = claimsIn(tokens.access_token);
  t.match(tokens, { token_type: 'Bearer', expires_in: 1800 });
  for (let round = 0; round < 3; round++) {
    await sdk.network.advance(halfLifeMs);
    tokens = await sdk.refresh(tokens);
    t.match(claimsIn(tokens.access_token), { z_asid, amr, auth_time, aud: ['openziti'] });
  }
  const path = '/current-api-session/certificates';
  const csr = await makeRequest('sdk');
  const made = await sdk.ask<{ certificate: string }>('POST', path, tokens, { csr });
  t.match(certificatesIn(made.certificate)[0]?.subjectAltName, `/apiSession/${z_asid}/`);
  const services = await sdk.ask<object[]>('GET', '/services', tokens);
  t.match(services, [{ id: serviceId, name: 'printer', permissions: ['Dial'] }]);
  const body = { serviceId, type: 'Dial' };
  const session = await sdk.ask<{ id: string; token: string }>('POST', '/sessions', tokens, body);
  t.match(claimsIn(session.token), { z_t: 's', z_asid, sub: serviceId, jti: session.id });
  t.match(await sdk.ask('GET', `/sessions/${session.id}`, tokens), { id: session.id });
  return tokens;
}

t.test('a C SDK that logs in by certificate', async (t) => {
  const network = await bootNetwork();
  const { token } = await newIdentity(network, 'sdk');
  const enrolled = await enrollWith(network, token, await makeRequest('sdk'));
  const { cert } = enrolled.data as { cert: string };
  const certificates = certificatesIn(cert).map(({ raw }) => raw);
  const tokens = await wholeLife(t, new CSdk(network, { by: 'cert', certificates }));
  t.match(claimsIn(tokens.access_token), { amr: ['cert'], z_cfs: [String] });
  const path = 'C:/current-identity';
  const stolen = await new OidcClient(network).call('GET', path, tokens.access_token);
  t.equal(stolen.status, 401, 'without the certificate the token is no good');
  await network.stop();
});

t.test('a C SDK that logs in by a token of an identity provider', async (t) => {
  const { network, alice } = await bootWithSigner({}, false);
  await network.must('PATCH', `M:/identities/${alice}`, { authPolicyId: 'default' });
  const external = await sign(key, tokenClaims({ exp: startSeconds + 3600 }));
  const headers = { authorization: `Bearer ${external}` };
  const tokens = await wholeLife(
    t,
    new CSdk(network, { by: 'ext-jwt', certificates: [], headers }),
  );
  t.match(claimsIn(tokens.access_token), { amr: ['ext-jwt'], z_cfs: null });
  await network.stop();
});
