// Stands in for a stock OpenZiti controller where the bench measures one by URL: as many answers as
// the scenarios need, in the form in which that controller gives them where it differs from ours: a
// created session has no link, and enrollments cannot be filtered by the names of their identities.

import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';
import type { Test } from 'tap';
import type { RemoteOptions } from '../../bench/options.ts';
import { makeServerIdentity } from './server-identity.ts';

x509.cryptoProvider.set(webcrypto);

/** The controller, and what it was asked. */
export interface Rival {
  readonly remote: RemoteOptions;
  /** The rows that are left, by kind. */
  readonly rows: ReadonlyMap<string, ReadonlyMap<string, Row>>;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly roleAttributes: readonly string[];
  readonly enrollment: object;
}

interface Answer {
  readonly status: number;
  readonly data: unknown;
}

/** Serves one. @param refuses the operations (`POST posture-response`) that it does not know */
export async function serveRival(t: Test, refuses: ReadonlySet<string>): Promise<Rival> {
  const identity = await makeServerIdentity(t);
  const rows = new Map<string, Map<string, Row>>();
  const issue = await issuer();
  const options = { ...identity.options, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, async (request, response) => {
    const text = await textOf(request);
    const url = new URL(request.url ?? '', 'https://localhost');
    const [, api = '', path = ''] =
      /^\/edge\/(client|management)\/v1\/(.*)$/.exec(url.pathname) ?? [];
    const asked = { request, api, path, query: url.searchParams, text };
    const { status, data } = refuses.has(`${request.method} ${path}`)
      ? notFound
      : await answerOf(asked, rows, issue);
    const body = goJson(status < 400 ? { data, meta: {} } : { error: data, meta: {} });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const administrator = { username: 'boss', password: 'secret' };
  const url = `https://localhost:${port}`;
  const caFile = identity.caFile;
  return { remote: { url, host: 'localhost', port, administrator, caFile }, rows };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += piece;
  return text;
}

/** As Go's encoder writes JSON. */
function goJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('&', '\\u0026')
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e');
}

interface Asked {
  readonly request: IncomingMessage;
  readonly api: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly text: string;
}

type Rows = Map<string, Map<string, Row>>;

const notFound: Answer = { status: 404, data: { code: 'NOT_FOUND' } };
const done: Answer = { status: 200, data: {} };

async function answerOf(asked: Asked, rows: Rows, issue: Issue): Promise<Answer> {
  const { request, api, path, query, text } = asked;
  const operation = `${request.method} ${path}`;
  if (operation === 'POST authenticate') return authenticated(asked);
  if (operation === 'POST authenticate/mfa') return done;
  const own = api === 'client' ? clientAnswers[operation] : undefined;
  if (own !== undefined) return { status: own.status, data: own.data() };
  if (operation === 'POST enroll') {
    return { status: 200, data: { cert: await issue(text), token: query.get('token') } };
  }
  if (api !== 'management') return notFound;
  const [kind = '', id] = path.split('/');
  return id === undefined ? ofList(asked, kind, rows) : ofOne(asked, rows.get(kind), id);
}

function authenticated({ request, query }: Asked): Answer {
  const { socket } = request;
  const method = query.get('method');
  const hasShown =
    method === 'password' ||
    (method === 'cert' && 'raw' in (socket as TLSSocket).getPeerCertificate()) ||
    (method === 'ext-jwt' && /^Bearer ey/.test(request.headers.authorization ?? ''));
  if (!hasShown) return { status: 401, data: { code: 'INVALID_AUTH' } };
  return { status: 200, data: { id: newId(), token: newId() } };
}

/** What a client is told, whoever it is. */
const clientAnswers: Readonly<Record<string, { status: number; data: () => unknown }>> = {
  'GET version': { status: 200, data: () => ({ version: 'v2.1.0' }) },
  'GET current-api-session': { status: 200, data: () => ({ expiresAt: '2026-11-22T00:00:00Z' }) },
  'GET current-identity': { status: 200, data: () => ({ roleAttributes: [] }) },
  'GET services': { status: 200, data: () => Array.from({ length: 100 }, (_, n) => ({ id: n })) },
  'POST sessions': { status: 201, data: newSession },
  'POST current-identity/mfa': { status: 201, data: () => ({ id: newId() }) },
  'GET current-identity/mfa': {
    status: 200,
    data: () => ({ provisioningUrl: `otpauth://totp/z:me?issuer=z&secret=${newSecret()}` }),
  },
  'POST current-identity/mfa/verify': { status: 200, data: () => ({}) },
  'POST posture-response': { status: 201, data: () => ({ services: [] }) },
  'POST posture-response-bulk': { status: 200, data: () => ({ services: [] }) },
};

function newSession(): object {
  const ids = { apiSessionId: newId(), identityId: newId(), serviceId: newId() };
  const base = { _links: null, createdAt: null, id: newId(), tags: null, updatedAt: null };
  return { ...base, ...ids, edgeRouters: [], token: `ey${newId()}`, type: 'Dial' };
}

const newId = (): string => randomBytes(8).toString('hex');

/** 10 bytes in base32; half of its digits are enough to make each one new. */
const newSecret = (): string =>
  newId()
    .replaceAll(/[0-9]/g, (digit) => String.fromCharCode(71 + Number(digit)))
    .toUpperCase();

function ofList({ request, query, text }: Asked, kind: string, rows: Rows): Answer {
  const ofKind = rows.get(kind) ?? new Map<string, Row>();
  rows.set(kind, ofKind);
  if (request.method === 'POST') {
    const body = JSON.parse(text) as Partial<Row> & { readonly enrollment?: { ott?: boolean } };
    const id = newId();
    const { name = '', roleAttributes = [] } = body;
    const enrollment = body.enrollment?.ott === true ? { ott: { token: newId() } } : {};
    ofKind.set(id, { id, name, roleAttributes, enrollment });
    return { status: 201, data: { _links: { self: { href: `./${kind}/${id}` } }, id } };
  }
  const filter = query.get('filter') ?? 'true';
  if (/^identity\./.test(filter)) return { status: 400, data: { code: 'INVALID_FILTER' } };
  const found = /^name contains "(.*)"$/.exec(filter)?.[1] ?? '';
  const matches = [...ofKind.values()].filter(({ name }) => name.includes(found));
  const offset = Number(query.get('offset') ?? 0);
  return { status: 200, data: matches.slice(offset, offset + Number(query.get('limit') ?? 10)) };
}

function ofOne({ request }: Asked, rows: Map<string, Row> | undefined, id: string): Answer {
  const row = rows?.get(id);
  if (row === undefined) return notFound;
  if (request.method === 'DELETE') rows?.delete(id);
  return request.method === 'GET' ? { status: 200, data: row } : done;
}

/** Signs the certificate that a request asks for. @returns PEM */
type Issue = (csr: string) => Promise<string>;

async function issuer(): Promise<Issue> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const { privateKey } = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  return async (csr) => {
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: `00${newId()}`,
      subject: 'CN=client',
      issuer: 'CN=rival',
      notBefore: new Date(Date.now() - 3_600_000),
      notAfter: new Date(Date.now() + 3_600_000),
      publicKey: new x509.Pkcs10CertificateRequest(csr).publicKey,
      signingKey: privateKey,
      signingAlgorithm: algorithm,
    });
    return `${certificate.toString('pem')}\n`;
  };
}
