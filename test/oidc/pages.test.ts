// The login pages: what a browser is shown, and which forms count.

import t from 'tap';
import { appCode } from '../simulated/authenticator-app.ts';
import { adminPassword, adminUser, bootNetwork } from '../simulated/network.ts';
import { OidcClient } from './oidc-client.ts';

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** The values of the hidden fields of a page, by their names. */
function hiddenIn(html: string): Record<string, string> {
  const fields = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]));
}

t.test('a login by pages alone', async (t) => {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  await network.must('PATCH', 'M:/auth-policies/default', { secondary: { requireTotp: true } });
  const client = new OidcClient(network);
  const id = await client.begin();
  const page = await client.get(`/oidc/login/username?authRequestID=${id}`, { headers: browser });
  t.match(page, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
  const policy = page.headers['content-security-policy'] ?? '';
  t.match(policy, "default-src 'none'");
  t.match(policy, "form-action 'self' http://localhost:8080;");
  t.match(policy, "frame-ancestors 'none'");
  t.notMatch(policy, 'unsafe');
  t.match(page.headers, { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  const html = page.body.toString();
  t.notMatch(html, /<script|src="http|href="http/);
  const hidden = hiddenIn(html);
  t.match(hidden, { id, formToken: /^[\w-]{43}$/ });

  const options = { headers: browser };
  const wrong = await client.logIn(id, 'alice', 'wrong-password', hidden, options);
  t.equal(wrong.status, 401);
  t.match(wrong.body.toString(), 'role="alert"');
  const owed = await client.logIn(id, 'alice', 'alice-password', hidden, options);
  t.match(owed.body.toString(), 'action="/oidc/login/totp/enroll"');
  const shown = await client.post('/oidc/login/totp/enroll', hidden, options);
  const secret = /<code>([A-Z2-7]{16,})<\/code>/.exec(shown.body.toString())?.[1] ?? '';
  t.match(shown.body.toString(), 'src="data:image/png;base64,');
  const verify = '/oidc/login/totp/enroll/verify';
  const again = await client.post(verify, { ...hidden, code: '000000' }, options);
  t.match(again.body.toString(), 'The code is not right.');
  const code = () => appCode(secret, network.clock.now());
  t.equal((await client.post(verify, { ...hidden, code: code() }, options)).status, 302);
  t.match(await client.code(id), /^[\w-]{43}$/);

  await network.advance(30_000);
  const next = await client.begin();
  const path = `/oidc/login/username?authRequestID=${next}`;
  const fields = hiddenIn((await client.get(path, options)).body.toString());
  const asked = await client.logIn(next, 'alice', 'alice-password', fields, options);
  t.match(asked.body.toString(), 'action="/oidc/login/totp"');
  const mistake = await client.post('/oidc/login/totp', { ...fields, code: '000000' }, options);
  t.match(mistake, { status: 200 });
  t.match(mistake.body.toString(), 'The code is not right.');
  const right = await client.post('/oidc/login/totp', { ...fields, code: code() }, options);
  t.equal(right.status, 302);
  await network.stop();
});

t.test('a form of another site does not count', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const [id, other] = [await client.begin(), await client.begin()];
  const path = `/oidc/login/username?authRequestID=${other}`;
  const { formToken = '' } = hiddenIn((await client.get(path)).body.toString());
  const options = { headers: browser };
  for (const given of [undefined, '', 'x', formToken]) {
    const answer = await client.logIn(id, adminUser, adminPassword, { formToken: given }, options);
    t.equal(answer.status, 401, String(given));
  }
  t.equal((await client.logIn(id, adminUser, adminPassword)).status, 302, 'programs send none');
  const over = await client.get('/oidc/login/username?authRequestID=none', options);
  t.match(over.body.toString(), 'This login is over.');
  const strange = await client.get('/oidc/login/username?authRequestID=%3Cscript%3E', options);
  t.notMatch(strange.body.toString(), '<script');
  t.notOk('auth-request-id' in strange.headers);
  await network.stop();
});
