// `login --oidc`: a browser logs in, and the session is renewed in silence.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { Agent, request } from 'undici';
import { adminPassword, roomOf } from '../../system/process.ts';
import { Person, stage } from './person.ts';

const { serving } = await stage(t);
const ca = join(serving.home, 'pki/ca.pem');
const login = ['login', serving.url, '--oidc', '--ca', ca, '--name', 'hall'];
const dispatcher = new Agent({ connect: { ca: serving.ca } });
t.teardown(() => dispatcher.close());

/** The address that a command prints for the browser. */
function addressIn(text: string): string | undefined {
  return /^https:\S+\/oidc\/authorize\?\S+$/m.exec(text)?.[0];
}

/** Where the provider sends the browser next. */
async function next(address: string, form?: Readonly<Record<string, string>>): Promise<string> {
  const options =
    form === undefined
      ? { dispatcher }
      : {
          dispatcher,
          method: 'POST' as const,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: new URLSearchParams(form).toString(),
        };
  const { headers, body, statusCode } = await request(address, options);
  const text = await body.text();
  const { location } = headers;
  if (typeof location !== 'string') throw new Error(`${address}: ${statusCode} ${text}`);
  return new URL(location, address).href;
}

/** A browser in which the administrator logs in. @returns the page that it ends with */
async function browse(
  address: string,
  callback: (uri: string) => Promise<string> = async (uri) => uri,
): Promise<string> {
  const id = new URL(await next(address)).searchParams.get('authRequestID') ?? '';
  const form = { id, username: 'admin', password: adminPassword };
  const done = await next(`${serving.url}/oidc/login/password`, form);
  const { body } = await request(await callback(await next(done)));
  return await body.text();
}

async function loggedIn(t: Test, person = new Person(t)) {
  let page: Promise<string> | undefined;
  const watches = (text: string) => {
    const address = addressIn(text);
    if (address !== undefined) page = browse(address);
  };
  const said = await person.types(login, { watches });
  return { person, said, page: await page };
}

interface Sessions {
  readonly sessions: Record<string, { token: string; refreshToken: string }>;
}

function sessionFile({ home }: Person): string {
  return join(home, '.local/state/edge-control/sessions.json');
}

function readSession(person: Person) {
  const { sessions } = JSON.parse(readFileSync(sessionFile(person), 'utf8')) as Sessions;
  return sessions['context:hall'] ?? { token: '', refreshToken: '' };
}

/** As if a token had ended. */
function change(person: Person, part: Partial<Sessions['sessions'][string]>): void {
  const session = { ...readSession(person), endsAt: '2026-01-01T00:00:00Z', ...part };
  const content = { version: 1, sessions: { 'context:hall': session } };
  writeFileSync(sessionFile(person), JSON.stringify(content));
}

t.test('a browser logs in, and the session is renewed in silence', async (t) => {
  const { person, said, page } = await loggedIn(t);
  t.match(said, { code: 0, out: 'logged in as admin (administrator), context hall\n' });
  t.match(page, /^Your login has arrived\./);
  const { token, refreshToken } = readSession(person);
  t.notMatch(said.out + said.err, token);
  const list = ['list', 'identities', '-o', 'name'];
  t.match(await person.types(list), { code: 0, out: 'identity/admin\n' });
  t.match(await person.types(['contexts']), { out: /^hall {2}\S+ {2}oidc {2}\(current\)\n$/ });

  change(person, { token: 'not.a.token' });
  t.match(await person.types(list), { code: 0, out: 'identity/admin\n', err: '' });
  t.not(readSession(person).refreshToken, refreshToken);
  t.match(await person.types(['export']), { code: 0, out: /^version: 1\n/ });

  change(person, { token: 'not.a.token' });
  const { refreshToken: last } = readSession(person);
  t.match(await person.types(['logout']), { code: 0, out: 'logged out of context hall\n' });
  t.match(await person.types(list), { code: 5, err: /Log in again: edge-control login\n$/ });
  const again = await loggedIn(t, person);
  t.match(again.said, { code: 0 });
  change(person, { token: 'not.a.token', refreshToken: last });
  t.match(await person.types(list), { code: 5, err: /has ended/ }, 'the log-out ended all of it');
});

t.test('only the browser of this login is believed', async (t) => {
  const statuses: number[] = [];
  let page: Promise<string> | undefined;
  const watches = (text: string) => {
    const address = addressIn(text);
    if (address === undefined) return;
    page = browse(address, async (uri) => {
      for (const other of [uri.replace(/state=[^&]+/, 'state=another'), new URL('/', uri).href]) {
        const { statusCode, body } = await request(other);
        await body.dump();
        statuses.push(statusCode);
      }
      return uri.replace(/code=[^&]+/, 'code=another');
    });
  };
  const person = new Person(t);
  t.match(await person.types(login, { watches }), {
    code: 5,
    out: '',
    err: /the controller refused the login/,
  });
  t.match(await page, /^Your login has arrived\./);
  t.same(statuses, [400, 400]);
});

t.test('what is refused before a browser is needed', async (t) => {
  const person = new Person(t);
  t.match(await person.types([...login, '--user', 'admin']), {
    code: 2,
    err: /exclude each other/,
  });
  const token = join(roomOf(t), 'token');
  writeFileSync(token, 'x');
  t.match(await person.types([...login, '--token-file', token]), { code: 2 });
});
