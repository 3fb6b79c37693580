// Identities with MFA, and the codes that their authenticator apps would show.

import { createGuardrails, generateSync } from 'otplib';
import type { RequestTemplate } from './load/job.ts';
import { identityBody } from './network.ts';
import { logInByJwt } from './provider.ts';
import { created, get, number, post } from './requests.ts';
import type { Stage } from './scenario.ts';

/** An API session whose identity has MFA. */
export interface Holder {
  readonly token: string;
  /** Base32. */
  readonly secret: string;
}

/** Seconds of one TOTP step. */
const stepSeconds = 30;

/** Creates identities with these role attributes. @returns the tokens of their API sessions */
export async function makeMembers(
  stage: Stage,
  count: number,
  roleAttributes: readonly string[],
): Promise<readonly string[]> {
  const { network, runName } = stage;
  const body = identityBody(network.marks, `${roleAttributes[0]}-${runName}-{{n}}`, roleAttributes);
  const create = post('/edge/management/v1/identities', network.adminToken, body, number);
  return await logInByJwt(stage, await network.bulk(count, create, created('identities')));
}

/** Sets up MFA in each of these API sessions; the verification uses up no step (behaviour/mfa). */
export async function setUpMfa(stage: Stage, tokens: readonly string[]): Promise<Holder[]> {
  const { bulk } = stage.network;
  const count = tokens.length;
  const mfa = '/edge/client/v1/current-identity/mfa';
  const initiate = post(mfa, '{{token}}', '', eachOnce({ token: tokens }));
  await bulk(count, initiate, { status: 201 });
  const detail = { ...get(mfa, '{{token}}'), slots: eachOnce({ token: tokens }) };
  const secrets = await bulk(count, detail, { status: 200, idAfter: 'secret=' });
  const holders = tokens.map((token, n) => ({ token, secret: secrets[n] ?? '' }));
  await bulk(count, giving(`${mfa}/verify`, codesOf(holders, 0)), { status: 200 });
  return holders;
}

/** A code per identity, for the step that is this number of steps from now. */
export function codesOf(
  holders: readonly Holder[],
  steps: number,
): { token: string; code: string }[] {
  const epoch = Math.floor(Date.now() / 1000) + steps * stepSeconds;
  return holders.map(({ token, secret }) => {
    return { token, code: generateSync({ secret, epoch, guardrails }) };
  });
}

/** The secrets of the peer have 10 bytes, which the library refuses by default. */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 10 });

/** Codes, each sent once in its API session. */
export function giving(
  path: string,
  codes: readonly { readonly token: string; readonly code: string }[],
): RequestTemplate {
  const values = {
    token: codes.map(({ token }) => token),
    code: codes.map(({ code }) => code),
  };
  return post(path, '{{token}}', JSON.stringify({ code: '{{code}}' }), eachOnce(values));
}

function eachOnce(lists: Readonly<Record<string, readonly string[]>>): RequestTemplate['slots'] {
  return Object.fromEntries(
    Object.entries(lists).map(([name, values]) => [name, { kind: 'list', values, every: 1 }]),
  );
}
