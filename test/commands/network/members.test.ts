// The JSON of each kind is what its schema says, and no member of it goes away.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { linesOf, members } from '../../../.ci/generate/members.ts';
import { operations } from '../../../src/assembly/operations.ts';
import type { KindRow } from '../../../src/commands/network/kind.ts';
import { kindRows } from '../../../src/commands/network/kind-rows.ts';
import { basePaths } from '../../../src/declare/operations/apis.ts';
import { descriptionProblem } from '../../contract/harness/described.ts';
import { connect, logIn } from '../../system/client.ts';
import { adminPassword } from '../../system/process.ts';
import { stage } from './person.ts';

const { serving, person, run } = await stage(t);

t.test('the golden copy of members', async (t) => {
  const golden = linesOf(readFileSync(join(import.meta.dirname, 'members.txt'), 'utf8'));
  const [now, before] = [new Set(members()), new Set(golden)];
  t.strictSame(
    golden.filter((member) => !now.has(member)),
    [],
    'scripts read these members: bring them back, or wait for a major release and delete their lines',
  );
  t.strictSame(
    [...now].filter((member) => !before.has(member)),
    [],
    'these are new, and stay once they are released: npm run generate adds them',
  );
});

/** Runs a command that must succeed. @returns what it printed */
async function done(words: readonly string[], body?: object): Promise<string> {
  const input = JSON.stringify(body);
  const { code, out, err } = await (body === undefined
    ? run(...words)
    : person.types(words, { input }));
  if (code !== 0) throw new Error(`${words.join(' ')}: ${err}`);
  return out.trim();
}

const ca = readFileSync(join(serving.home, 'pki/ca.pem'), 'utf8');
const roles = ['--identity-roles', '@clerk', '--service-roles', '@printer'];
const routers = ['--edge-router-roles', '@edge-1'];

/** How an entity of each kind is created, in an order in which they name each other. */
const creations: readonly (readonly [kind: string, name: string, ...words: string[]])[] = [
  ['identity', 'clerk', '--roles', 'staff', '--enroll', '--tag', 'hall=north'],
  ['auth-policy', 'strict', '-f', '-'],
  ['ca', 'partner', '--cert-pem', ca, '-f', '-'],
  ['config-type', 'door', '--schema', '{"type":"object"}'],
  ['config', 'front', '--config-type', 'door', '--data', '{"open":true}'],
  ['service', 'printer', '--configs', 'front', '--roles', 'printers'],
  ['edge-router', 'edge-1', '--roles', 'public'],
  ['transit-router', 'middle'],
  ['router', 'fabric-1', '--id', 'fabric-1', '--cost', '0', '--traversal'],
  ['edge-router-policy', 'over', '--identity-roles', '@clerk', ...routers],
  ['service-edge-router-policy', 'at', '--service-roles', '@printer', ...routers],
  ['service-policy', 'dial', '--type', 'Dial', ...roles],
  ['posture-check', 'joined', '--type', 'DOMAIN', '--domains', 'corp.example'],
  ['external-jwt-signer', 'idp', '-f', '-'],
];
const bodies: Readonly<Record<string, object>> = {
  ca: {
    identityRoles: ['partners'],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
  },
  'auth-policy': {
    primary: {
      cert: { allowed: true, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: {
        allowed: true,
        minPasswordLength: 5,
        requireMixedCase: false,
        requireNumberChar: false,
        requireSpecialChar: false,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
      },
    },
    secondary: { requireTotp: false },
  },
  'external-jwt-signer': {
    issuer: 'https://idp.example.com',
    audience: 'edge',
    enabled: true,
    jwksEndpoint: 'https://idp.example.com/keys',
  },
};
/** Entities that are there already, or have no names: what names them. */
const others: Readonly<Record<string, string>> = {
  enrollment: 'clerk',
  authenticator: 'clerk',
  'identity-type': 'Default',
  'posture-check-type': 'OS',
};
/** Without routers that are connected there are none. Their JSON is tested with the fabric. */
const withoutTraffic: ReadonlySet<string> = new Set(['link', 'circuit']);

t.test('the JSON of a kind is what the API shows, as its description says', async (t) => {
  const named = new Map(Object.entries(others));
  for (const [kind, name, ...words] of creations) {
    await done(['create', kind, name, ...words], bodies[kind]);
    named.set(kind, name);
  }
  const terminator = ['--service', 'printer', '--router', 'edge-1', '--binding', 'edge'];
  const address = ['--address', 'hosted:1'];
  named.set(
    'terminator',
    await done(['create', 'terminator', ...terminator, ...address, '-o', 'id']),
  );
  const revocation = [
    'create',
    'revocation',
    '--id',
    '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    '--type',
    'JTI',
  ];
  named.set('revocation', await done([...revocation, '-o', 'id']));
  await person.types(['password', 'clerk'], { answers: ['correct horse'] });
  const http = connect(t, serving);
  const clerk = await logIn(http, 'clerk', 'correct horse');
  named.set('api-session', `id:${clerk.sessionId}`);
  const serviceId = await done(['get', 'service', 'printer', '-o', 'id']);
  const session = await clerk.ask('POST', '/edge/client/v1/sessions', { serviceId, type: 'Dial' });
  named.set('session', String(session['id']));

  const admin = await logIn(http, 'admin', adminPassword);
  for (const kind of kindRows.filter(({ name }) => !withoutTraffic.has(name))) {
    const name = named.get(kind.name) ?? '';
    const json = await done(['get', kind.name, name, '-o', 'json']);
    const shown = JSON.parse(json) as Readonly<Record<string, unknown>>;
    const { _links, ...data } = await admin.ask('GET', addressOf(kind, String(shown['id'])));
    t.strictSame(shown, data, kind.name);
    t.equal(problemOf(kind, { ...shown, _links }), undefined, kind.name);
  }
});

function addressOf({ api, path }: KindRow, id: string): string {
  return `${basePaths[api]}${path}/${encodeURIComponent(id)}`;
}

function problemOf({ api, path }: KindRow, data: object): string | undefined {
  const operation = operations.find(
    (one) => one.method === 'GET' && one.path === `${path}/{id}` && one.apis.includes(api),
  );
  if (operation === undefined) return `${path} has no operation`;
  const meta = { apiVersion: '0.0.1', apiEnrollmentVersion: '0.0.1' };
  const headers = { 'content-type': 'application/json' };
  return descriptionProblem(api, operation, {
    status: 200,
    headers,
    json: <T>() => ({ data, meta }) as T,
  });
}
