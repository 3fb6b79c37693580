// Runs one step of a case on a network: sends its request and checks the answer.

import { X509Certificate } from 'node:crypto';
import { SignJWT } from 'jose';
import { appCode } from '../../simulated/authenticator-app.ts';
import { type Made, makeCertificate, makeRequest } from '../../simulated/certificates.ts';
import type { Answer, Network, Pagination } from '../../simulated/network.ts';
import type { AnswerCheck } from './answer-check.ts';
import type { Asking, Exchange, Making, Signing, Step } from './case-file.ts';
import { defaultsProblem } from './defaults.ts';
import { type Captures, filled, mismatch } from './match.ts';

/** Takes one step. @returns what is wrong with what came of it, undefined when nothing is */
export async function take(
  network: Network,
  step: Step,
  captures: Captures,
  check: AnswerCheck,
): Promise<string | undefined> {
  if (step.kind === 'exchange') return exchange(network, step, captures, check);
  if (step.kind === 'making') return make(network, step, captures);
  if (step.kind === 'asking') return ask(step, captures);
  if (step.kind === 'signing') return sign(network, step, captures);
  if (step.what === 'wait') await network.advance(step.ms);
  else await network[step.what]();
  return undefined;
}

const made = new WeakMap<Captures, Map<string, Made>>();

async function make(network: Network, step: Making, captures: Captures): Promise<undefined> {
  const known = made.get(captures) ?? new Map<string, Made>();
  made.set(captures, known);
  const issuer = step.issuer === '' ? undefined : known.get(step.issuer);
  if (step.issuer !== '' && issuer === undefined) throw new RangeError(`no ${step.issuer}`);
  const one = await makeCertificate({
    name: filled(step.commonName, captures),
    as: step.as,
    isExpired: step.isExpired,
    isFuture: step.isFuture,
    keyType: step.isRsa ? 'rsa-2048' : 'ec-p256',
    nowMs: network.clock.now(),
    ...(issuer === undefined ? {} : { issuer }),
  });
  known.set(step.name, one);
  captures.set(step.name, JSON.stringify(one.pem).slice(1, -1));
  captures.set(`${step.name}Pem`, one.pem);
  captures.set(`${step.name}Print`, one.fingerprint);
}

async function ask(step: Asking, captures: Captures): Promise<undefined> {
  const pem = await makeRequest(filled(step.commonName, captures));
  captures.set(step.name, JSON.stringify(pem).slice(1, -1));
  captures.set(`${step.name}Pem`, pem);
}

/** The key's name is the fingerprint of its certificate, as of signers that say nothing of it. */
async function sign(network: Network, step: Signing, captures: Captures): Promise<undefined> {
  const signer = made.get(captures)?.get(step.signer);
  if (signer === undefined) throw new RangeError(`no ${step.signer}`);
  const iat = Math.floor(network.clock.now() / 1000);
  const claims = JSON.parse(filled(step.claims, captures)) as Record<string, unknown>;
  const jwt = new SignJWT({ iat, exp: iat + 3600, ...claims });
  const { key, fingerprint: kid } = signer;
  captures.set(step.name, await jwt.setProtectedHeader({ alg: 'ES256', kid }).sign(key));
}

async function exchange(
  network: Network,
  step: Exchange,
  captures: Captures,
  check: AnswerCheck,
): Promise<string | undefined> {
  const coded = (text: string) => withCodes(text, captures, network.clock.now());
  const headers = Object.fromEntries(
    step.headers.map(([name, value]) => [name, filled(coded(value), captures)]),
  );
  const certificates = shown(headers['client-certificate'], captures);
  delete headers['client-certificate'];
  const session = headers['zt-session'] ?? headers['net-session'];
  if (session === '-') delete headers['zt-session'];
  const path = filled(step.path, captures);
  const body = filled(
    coded(step.body),
    captures,
    /^(\{"|\[)/.test(step.body) ? onOneLine : undefined,
  );
  const answer = await network.call(step.method, path, {
    headers,
    certificates,
    ...(session === undefined ? {} : { token: null }),
    ...(body === '' ? {} : { body }),
  });
  return (
    (answer.status === step.status ? undefined : `answered ${textOf(answer)}`) ??
    headProblem(step, answer, captures) ??
    bodyProblem(step, answer, captures) ??
    check.problem(step.method, path, answer)
  );
}

/** Puts the codes that apps show now in the place of `{totp name}`. */
function withCodes(text: string, captures: Captures, nowMs: number): string {
  return text.replace(/\{totp (\w+)(?: ([+-]\d+))?\}/g, (_, name: string, steps = '0') =>
    appCode(filled(`{${name}}`, captures), nowMs, Number(steps)),
  );
}

/** PEM as it stands in JSON. */
const onOneLine = (value: string) => value.replaceAll('\n', '\\n');

function shown(names = '', captures: Captures): Buffer[] {
  const known = made.get(captures);
  return names.split(' ').flatMap((name) => {
    if (name === '') return [];
    const one = known?.get(name)?.certificate.raw;
    return one === undefined ? chainOf(captures.get(name) ?? '', name) : [one];
  });
}

/** @throws RangeError for a value that is no PEM of certificates. */
function chainOf(kept: string, name: string): Buffer[] {
  const blocks = kept.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null) throw new RangeError(`no certificate ${name}`);
  return blocks.map((pem) => new X509Certificate(pem).raw);
}

function textOf({ status, body }: Answer): string {
  return `${status} ${body.toString().slice(0, 1000)}`;
}

function headProblem(step: Exchange, answer: Answer, captures: Captures): string | undefined {
  const { total, limit, offset, ...causes } = step.marks;
  if (step.code !== answer.code) return `answered ${textOf(answer)}`;
  const page: Partial<Pagination> = answer.pagination ?? {};
  const marks = { totalCount: total, limit, offset };
  for (const [name, value] of Object.entries(marks)) {
    const actual = page[name as keyof Pagination];
    if (value !== undefined && actual !== Number(value)) return `${name} is ${actual}`;
  }
  for (const [name, value] of Object.entries(causes)) {
    const actual = answer.cause?.[name];
    if (String(actual) !== filled(value, captures)) return `answered ${textOf(answer)}`;
  }
  for (const [name, value] of step.answerHeaders) {
    const actual = answer.headers[name];
    const problem = mismatch(value, actual, captures, `header ${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function bodyProblem(step: Exchange, answer: Answer, captures: Captures): string | undefined {
  if (step.answer === '') return undefined;
  const { data, error } = answer.json() as { data?: unknown; error?: unknown };
  const actual = answer.status < 300 ? (data ?? answer.json()) : error;
  const expected: unknown = JSON.parse(step.answer);
  if (!hasRest(expected)) return mismatch(expected, actual, captures);
  const { '...': _, ...named } = expected;
  return mismatch(named, actual, captures) ?? defaultsProblem(step.path, named, Object(actual));
}

function hasRest(expected: unknown): expected is { readonly '...': string } {
  const isObject = typeof expected === 'object' && expected !== null && '...' in expected;
  if (isObject && expected['...'] !== 'defaults') throw new RangeError('... stands for defaults');
  return isObject;
}
