// Holds the package `openid-client`, which knows nothing of us, against the OIDC provider of a
// controller of its own: `node test/system/openid-client/run.ts`.

import { request } from 'node:https';
import * as openid from 'openid-client';
import { type Endings, endsWell, runStep, serveOnce, temporaryDirectory } from '../endings.ts';
import { adminPassword, type Serving } from '../process.ts';

const redirectUri = 'http://localhost:8080/auth/callback';

/** An answer as the steps below read it. */
interface Answered {
  readonly status: number;
  readonly location: string;
}

await runStep(async (endings) => {
  const serving = await serveOnce(endings, temporaryDirectory(endings, 'edge-control-openid-'));
  const secrets = await logInAndOut(endings, serving);
  return await endsWell(serving, [adminPassword, ...secrets]);
});

/** A whole life of a session. @returns its tokens */
async function logInAndOut(_endings: Endings, serving: Serving): Promise<string[]> {
  const send = sender(serving);
  const config = await openid.discovery(
    new URL(`${serving.readyUrl}/oidc`),
    'native',
    undefined,
    openid.None(),
    { [openid.customFetch]: send },
  );
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()];
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  });
  const page = await followed(send, url.href);
  const id = new URL(page.location, serving.readyUrl).searchParams.get('authRequestID');
  const login = await followed(send, `${serving.readyUrl}/oidc/login/password`, {
    id,
    username: 'admin',
    password: adminPassword,
  });
  const back = await followed(send, login.location);
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
  const tokens = await openid.authorizationCodeGrant(config, new URL(back.location), checks);
  const { sub = '' } = tokens.claims() ?? {};
  const user = await openid.fetchUserInfo(config, tokens.access_token, sub);
  if (user.name !== 'admin') throw new Error(`the user is ${user.name}`);
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
  await openid.fetchUserInfo(config, next.access_token, sub);
  await expectRefused(openid.authorizationCodeGrant(config, new URL(back.location), checks));
  await openid.tokenRevocation(config, next.access_token);
  await expectRefused(openid.fetchUserInfo(config, next.access_token, sub));
  const last = await openid.refreshTokenGrant(config, next.refresh_token ?? '');
  const end = openid.buildEndSessionUrl(config, {
    id_token_hint: last.id_token ?? '',
    post_logout_redirect_uri: 'openziti://auth/logout',
    state: 'bye',
  });
  const { location } = await followed(send, end.href);
  if (location !== 'openziti://auth/logout?state=bye') throw new Error(`sent to ${location}`);
  await expectRefused(openid.refreshTokenGrant(config, last.refresh_token ?? ''));
  await expectRefused(openid.fetchUserInfo(config, last.access_token, sub));
  console.log(
    'discovery, code, userinfo, refresh, revocation and log-out are as openid-client wants',
  );
  return [tokens, next, last].flatMap(({ access_token, refresh_token }) => [
    access_token,
    refresh_token ?? '',
  ]);
}

async function expectRefused(work: Promise<unknown>): Promise<void> {
  const isDone = await work.then(
    () => true,
    () => false,
  );
  if (isDone) throw new Error('what is over is not refused');
}

/** Asks for an address, or posts JSON to it, and stays where it is sent on. */
async function followed(send: openid.CustomFetch, url: string, body?: object): Promise<Answered> {
  const answer = await send(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
    redirect: 'manual',
  });
  return { status: answer.status, location: answer.headers.get('location') ?? '' };
}

/** `fetch` that trusts the CA of the controller. */
function sender({ ca }: Serving): openid.CustomFetch {
  return async (url, { method, headers, body }) => {
    const sent = body === undefined || body === null ? '' : String(body);
    return await new Promise<Response>((resolve, reject) => {
      const asked = request(url, { method, headers, ca }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const given = new Headers();
          for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
            for (const value of values) given.append(name, value);
          }
          const whole = Buffer.concat(chunks);
          const status = answer.statusCode ?? 0;
          resolve(new Response(whole.length === 0 ? null : whole, { status, headers: given }));
        });
      });
      asked.on('error', reject);
      asked.end(sent);
    });
  };
}
