// The pages of a login in a browser: user name and password, a code, a new authenticator app. They
// are whole by themselves, and work without scripts (behaviour/oidc#pages).

import { createHash, timingSafeEqual } from 'node:crypto';
import { isEnrolled } from '../auth/factors.ts';
import type { Reply } from '../declare/operations/operation.ts';
import type { Header } from '../platform/http-exchange.ts';
import type { AuthRequestRecord } from '../records/auth-request.ts';
import type { Context } from './context.ts';
import { text, wantsPage } from './replies.ts';

/**
 * Whether a login may have come from the page of its request: a page of another site can make a
 * browser send a form, but does not know the value in ours. Programs send none. Browsers say of
 * scripts of other sites that they are that; only the client's own may log in so.
 */
export function isOfPage(
  context: Pick<Context, 'request'>,
  { formToken, redirectUri }: Pick<AuthRequestRecord, 'formToken' | 'redirectUri'>,
  given = '',
): boolean {
  const { request } = context;
  const isOfOtherSite = request.header('sec-fetch-site') === 'cross-site';
  if (isOfOtherSite && request.header('origin') !== sourceOf(redirectUri)) return false;
  return !wantsPage(context) || isSecret(formToken, given);
}

/** Whether a secret of a login is the expected one, in the same time for each wrong one. */
export function isSecret(secret: string, given: string): boolean {
  const [expected, actual] = [Buffer.from(secret), Buffer.from(given)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/**
 * Asks for user name and password.
 * @param record undefined when there is no such login in progress
 */
export function askForPassword(
  context: Context,
  record: AuthRequestRecord | undefined,
  headers: readonly Header[],
  problem?: string,
): Reply {
  const form =
    record === undefined
      ? '<p role="alert">This login is over. Begin again in the program that you came from.</p>'
      : formOf(
          record,
          '/oidc/login/username',
          field('User name', 'name="username" autocomplete="username" autofocus') +
            field('Password', 'name="password" type="password" autocomplete="current-password"'),
          'Log in',
        );
  const isRefused = problem !== undefined && wantsPage(context);
  return page(record, 'Log in', alertOf(problem) + form, {
    status: isRefused ? 401 : 200,
    headers,
  });
}

/** Asks for a code, or offers to set an authenticator app up. */
export function askForFactor(context: Context, record: AuthRequestRecord, problem?: string): Reply {
  if (isEnrolled({ env: context.env }, record.identityId)) {
    const form = formOf(record, '/oidc/login/totp', codeField, 'Continue');
    return page(record, 'Enter a code', alertOf(problem) + codeHint + form);
  }
  const form = formOf(record, '/oidc/login/totp/enroll', '', 'Set it up');
  return page(record, 'Second factor', alertOf(problem) + enrollHint + form);
}

/** A new secret, as an authenticator app and a person read it. */
export interface NewSecret {
  /** PNG. */
  readonly picture: Buffer;
  readonly provisioningUrl: string;
  readonly recoveryCodes: readonly string[];
}

/** Shows a new secret, and asks for the first code of it. */
export function showSecret(
  record: AuthRequestRecord,
  { picture, provisioningUrl, recoveryCodes }: NewSecret,
  problem?: string,
): Reply {
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  const image = `<img alt="QR code of the secret below" src="data:image/png;base64,${picture.toString('base64')}">`;
  const codes = recoveryCodes.map((code) => `<li><code>${escaped(code)}</code></li>`).join('');
  const body =
    `${alertOf(problem)}<p>Scan this with your authenticator app, or type the secret.</p>${image}` +
    `<p><code>${escaped(secret)}</code></p><h2>Recovery codes</h2>` +
    `<p>Keep these. Each of them stands for one code if you lose the app.</p><ul>${codes}</ul>` +
    formOf(record, '/oidc/login/totp/enroll/verify', codeField, 'Continue');
  return page(record, 'Set up your authenticator app', body);
}

const codeHint =
  '<p>Enter the code that your authenticator app shows, or one of your recovery codes.</p>';

const enrollHint = '<p>Your login needs codes of an authenticator app, and you have none yet.</p>';

const codeField = field(
  'Code',
  'name="code" autocomplete="one-time-code" inputmode="text" maxlength="13" autofocus',
);

function field(label: string, attributes: string): string {
  return `<label>${label}<input required ${attributes}></label>`;
}

function formOf(
  { id, formToken }: Pick<AuthRequestRecord, 'id' | 'formToken'>,
  action: string,
  fields: string,
  button: string,
): string {
  const hidden = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escaped(value)}">`;
  return (
    `<form method="post" action="${action}">${hidden('id', id)}${hidden('formToken', formToken)}` +
    `${fields}<button>${button}</button></form>`
  );
}

function alertOf(problem: string | undefined): string {
  return problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`;
}

const style = `
:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0;padding:1rem;display:grid;justify-content:center}
main{width:min(22rem,calc(100vw - 2rem))}
h1{font-size:1.25rem}h2{font-size:1rem}
form{display:grid;gap:1rem}
label{display:grid;gap:.25rem}
input,button{font:inherit;padding:.5rem;border:1px solid;border-radius:.25rem}
button{cursor:pointer}
img{background:#fff;max-width:100%}
ul{columns:2;padding-left:1.25rem}
code{overflow-wrap:anywhere}
[role=alert]{border-left:.25rem solid #c62828;padding-left:.75rem}
`;

const styleHash = createHash('sha256').update(style).digest('base64');

function page(
  record: AuthRequestRecord | undefined,
  title: string,
  body: string,
  { status = 200, headers = [] }: { status?: 200 | 401; headers?: readonly Header[] } = {},
): Reply {
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<style>${style}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
  return text(html, 'text/html; charset=utf-8', {
    status,
    headers: [
      ['content-security-policy', policyFor(record)],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      ...headers,
    ],
  });
}

/** Browsers compare the redirects that follow a form, too. */
function policyFor(record: Pick<AuthRequestRecord, 'redirectUri'> | undefined): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    `form-action 'self'${record === undefined ? '' : ` ${sourceOf(record.redirectUri)}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * The origin of an address, or its scheme if it has none. Policies have no form for an IPv6 address
 * (CSP3 §2.3.1).
 */
function sourceOf(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' || origin.includes('[') ? protocol : origin;
}

function escaped(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
