// The JSON of each kind is what its schema says, and no member of it goes away.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { linesOf, members } from '../../../.ci/generate/members.ts';
import { operations } from '../../../src/assembly/operations.ts';
import type { KindRow } from '../../../src/commands/network/kinds/kind.ts';
import { kindRows } from '../../../src/commands/network/kinds/kind-rows.ts';
import { basePaths } from '../../../src/declare/operations/apis.ts';
import { descriptionProblem } from '../../contract/harness/described.ts';
import { connect, logIn } from '../../system/client.ts';
import { adminPassword } from '../../system/process.ts';
import { creationsOf } from './furnished.ts';
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

/** Entities that are there already, or have no names: what names them. */
const others: Readonly<Record<string, string>> = {
  enrollment: 'one identity',
  authenticator: 'one identity',
  'identity-type': 'Default',
  'posture-check-type': 'OS',
};
/** Without routers that are connected there are none. Their JSON is tested with the fabric. */
const withoutTraffic: ReadonlySet<string> = new Set(['link', 'circuit']);

t.test('the JSON of a kind is what the API shows, as its description says', async (t) => {
  const named = new Map(Object.entries(others));
  for (const { kind, name, words, body } of await creationsOf('one')) {
    const id = await done(['create', kind, ...words, '-o', 'id'], body);
    named.set(kind, name === '' ? `id:${id}` : name);
  }
  await person.types(['password', 'one identity'], { answers: ['correct horse'] });
  const http = connect(t, serving);
  const clerk = await logIn(http, 'one identity', 'correct horse');
  named.set('api-session', `id:${clerk.sessionId}`);
  const serviceId = await done(['get', 'service', 'one service', '-o', 'id']);
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
