// A login by OIDC in a browser: authorization code with PKCE, which comes back to this machine
// (RFC 8252, behaviour/oidc).

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { HttpsFetch } from '../../../client/https-fetch.ts';
import { ControllerUnreachable } from '../../../client/index.ts';
import { isObject } from '../../declarative/entry.ts';
import { CommandFailure } from '../command-failure.ts';
import { failureOf } from '../connection/client-failure.ts';
import type { SavedSession } from '../connection/contexts.ts';

/** The provider of a controller. */
export interface OidcProvider {
  /** `https://HOST:PORT`, under which it issues tokens. */
  readonly url: string;
  /** PEM of the CAs to trust. */
  readonly ca: string;
  /** Time limit for one request; 60 s by default. */
  readonly timeoutMs: number | undefined;
}

/** The public client of programs on a desktop (behaviour/oidc#clients). */
const clientId = 'native';
const scope = 'openid offline_access';

/** The provider forgets a login after this time (behaviour/oidc#requests-in-progress). @bound */
const loginMsMax = 10 * 60_000;

/**
 * Lets a person log in in a browser, for which it prints the address.
 * @param opensBrowser whether a browser is opened if a person sits at a terminal
 * @throws CommandFailure for a controller without OIDC, and a login that did not succeed
 */
export async function loggedInByBrowser(
  provider: OidcProvider,
  opensBrowser: boolean,
  context: ProcessContext,
): Promise<SavedSession> {
  await refuseWithoutOidc(provider);
  const [verifier, state] = [randomText(context), randomText(context)];
  const back = await listenForReturn(state);
  try {
    const query = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: back.uri,
      scope,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const address = `${provider.url}/oidc/authorize?${query}`;
    context.err(`Log in at this address, in a browser on this machine:\n${address}\n`);
    if (opensBrowser && context.terminal) openBrowser(address);
    const session = await tokensFor(provider, context, {
      grant_type: 'authorization_code',
      code: await back.code,
      code_verifier: verifier,
      redirect_uri: back.uri,
    });
    if (session !== undefined) return session;
  } finally {
    back.close();
  }
  throw CommandFailure.notAllowed('the controller refused the login.');
}

/** Renews a session; undefined when its refresh token is not taken any more. */
export async function refreshedSession(
  provider: OidcProvider,
  refreshToken: string,
  context: Pick<ProcessContext, 'clock'>,
): Promise<SavedSession | undefined> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return await tokensFor(provider, context, grant);
}

function randomText({ random }: ProcessContext): string {
  return random.bytes(32).toString('base64url');
}

async function refuseWithoutOidc(provider: OidcProvider): Promise<void> {
  const { status } = await send(provider, '/oidc/.well-known/openid-configuration');
  if (status === 200) return;
  throw CommandFailure.notAllowed(
    `${provider.url} has no logins by OIDC under this name (it answers ${status}).`,
    { status },
  );
}

/** The tokens for a grant; undefined when it is refused. */
async function tokensFor(
  provider: OidcProvider,
  { clock }: Pick<ProcessContext, 'clock'>,
  grant: Readonly<Record<string, string>>,
): Promise<SavedSession | undefined> {
  const form = new URLSearchParams({ client_id: clientId, ...grant }).toString();
  const response = await send(provider, '/oidc/oauth/token', form);
  if (response.status === 400 || response.status === 401) return undefined;
  const content: unknown = response.ok ? await response.json() : undefined;
  const {
    access_token: token,
    refresh_token: refreshToken,
    expires_in: seconds,
  } = isObject(content) ? content : {};
  if (typeof token !== 'string' || typeof seconds !== 'number') {
    throw CommandFailure.unreachable(
      `${provider.url} answers ${response.status} instead of tokens.`,
    );
  }
  const endsAt = new Date(clock.now() + seconds * 1000).toISOString();
  return { token, endsAt, ...(typeof refreshToken === 'string' && { refreshToken }) };
}

async function send(
  { url, ca, timeoutMs = 60_000 }: OidcProvider,
  path: string,
  form = '',
): Promise<Response> {
  const https = new HttpsFetch({ ca, connectionsMax: 1, timeoutMs });
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(form)),
  };
  const options = form === '' ? { method: 'GET' } : { method: 'POST', headers };
  try {
    return await https.send(`${url}${path}`, options, form);
  } catch (error) {
    throw error instanceof ControllerUnreachable ? failureOf(error) : error;
  } finally {
    https.close();
  }
}

/** Where the browser comes back to. */
interface Return {
  readonly uri: string;
  readonly code: Promise<string>;
  close(): void;
}

/** Listens on the loopback address until the browser brings the code of this login. */
async function listenForReturn(state: string): Promise<Return> {
  const server = createServer();
  const code = new Promise<string>((resolve, reject) => {
    const signal = AbortSignal.timeout(loginMsMax);
    signal.addEventListener('abort', () =>
      reject(CommandFailure.notAllowed('nobody has logged in within ten minutes.')),
    );
    server.on('request', ({ url = '' }, answer) => {
      const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
      // Other programs of this machine can ask here, too.
      const isOurs = pathname === '/auth/callback' && searchParams.get('state') === state;
      const found = isOurs ? searchParams.get('code') : null;
      const text = found === null ? 'There is no login here.' : 'Your login has arrived.';
      answer.writeHead(found === null ? 400 : 200, {
        'content-type': 'text/plain; charset=utf-8',
        connection: 'close',
      });
      answer.end(`${text} You can close this window.\n`);
      if (found !== null) resolve(found);
      else if (isOurs) {
        const why = searchParams.get('error') ?? 'it gave no code';
        reject(CommandFailure.notAllowed(`the controller refused the login: ${why}`));
      }
    });
  });
  // It may fail before anybody waits for it.
  code.catch(() => undefined);
  const port = await listen(server);
  return { uri: `http://127.0.0.1:${port}/auth/callback`, code, close: () => server.close() };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('the listener has no port');
}

/** The address was printed, so it does not matter where there is no browser. */
function openBrowser(address: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const browser = spawn(program, [address], { detached: true, stdio: 'ignore' });
  browser.on('error', () => undefined);
  browser.unref();
}
