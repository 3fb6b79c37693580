// Every command of an operation, by every sort of caller: who gets an answer, and what the others
// are told. The truth is the matrix of the contract (`test/contract/privileges`).

import { t } from 'tap';
import type { KindVerb } from '../../../src/commands/network/kinds/kind.ts';
import { kindRows } from '../../../src/commands/network/kinds/kind-rows.ts';
import { permissionNames } from '../../../src/declare/resources/permission-names.ts';
import { isNightly } from '../../campaigns.ts';
import {
  type CallerKind,
  type MatrixRow,
  opens,
  readMatrix,
} from '../../contract/privileges/privilege-table.ts';
import { connect, createUser, logIn } from '../../system/client.ts';
import { anyLogin, creationsOf } from './furnished.ts';
import { operationCommands } from './operation-commands.ts';
import { type Person, personWith, type Said, stage } from './person.ts';

const { serving } = await stage(t);
const http = connect(t, serving);
const root = await logIn(http);
const password = 'caller-password';

/** Somebody who types, and which operations of the matrix answer them. */
interface Caller {
  readonly name: string;
  readonly token: string | undefined;
  readonly may: (row: MatrixRow) => boolean;
  /** What standard error says when an operation does not answer them. */
  readonly refusal: RegExp;
}

const over =
  /(^|\n)edge-control: the session of context ctrl has ended\. Log in again: edge-control login\n$/;
const refused = /(^|\n)edge-control: the controller refused it: .+\n$/;

const byCells = (kind: CallerKind) => (row: MatrixRow) => /^(20|own)/.test(row.cells[kind]);

/** As `full`, with these permissions. */
const withPermissions = (names: readonly string[]) => (row: MatrixRow) =>
  byCells('full')(row) || names.some((name) => opens(row, name));

async function newSession(name: string, more: object = {}) {
  const id = await createUser(root, name, password);
  await root.ask('PATCH', `/edge/management/v1/identities/${id}`, { tags: {}, ...more });
  const session = await logIn(http, name, password);
  return { id, name, session };
}

async function allCallers(): Promise<Caller[]> {
  const gone = await newSession('ended');
  await gone.session.ask('DELETE', '/edge/client/v1/current-api-session');
  const off = await newSession('disabled');
  await root.ask('POST', `/edge/management/v1/identities/${off.id}/disable`, {
    durationMinutes: 0,
  });
  const authPolicyId = await root.create('auth-policies', {
    name: 'guarded',
    ...anyLogin,
    secondary: { requireTotp: true },
  });
  const partial = await newSession('partial', { authPolicyId });
  const partialAdmin = await newSession('p-admin', { authPolicyId, isAdmin: true });
  const full = await newSession('full');
  const reader = await newSession('reader', { permissions: ['admin_readonly'] });
  const names = permissionNames.filter((name) => !/[._]/.test(name));
  const holder = await newSession('holder', { permissions: names });
  const tokenOf = (one: typeof full) => one.session.token;
  return [
    { name: 'none', token: undefined, may: byCells('none'), refusal: over },
    { name: 'dead', token: crypto.randomUUID(), may: byCells('dead'), refusal: over },
    { name: 'ended', token: tokenOf(gone), may: byCells('ended'), refusal: over },
    { name: 'off', token: tokenOf(off), may: byCells('off'), refusal: over },
    { name: 'partial', token: tokenOf(partial), may: byCells('partial'), refusal: refused },
    { name: 'p-admin', token: tokenOf(partialAdmin), may: byCells('p-admin'), refusal: refused },
    { name: 'full', token: tokenOf(full), may: byCells('full'), refusal: refused },
    {
      name: 'reader',
      token: tokenOf(reader),
      may: withPermissions(['admin_readonly']),
      refusal: refused,
    },
    { name: 'holder', token: tokenOf(holder), may: withPermissions(names), refusal: refused },
    { name: 'admin', token: root.token, may: byCells('admin'), refusal: refused },
  ];
}

const rows = new Map<string, MatrixRow>(
  readMatrix().map((row) => [`${row.method} ${row.api} ${row.path}`, row] as const),
);

function rowOf(key: string): MatrixRow {
  const row = rows.get(key);
  if (row === undefined) throw new Error(`${key} is not in the matrix`);
  return row;
}

/** One command, and the operations that it asks. */
interface Trial {
  readonly words: readonly string[];
  /** Standard input. */
  readonly body?: object | undefined;
  readonly asks: readonly string[];
  /** The exit code for who may ask all of them. */
  readonly code?: number;
}

/** What a command asks to find the entity of a name, and to show it. */
function reads(kind: string): string[] {
  const { api, path } = kindRows.find(({ name }) => name === kind) ?? { api: '', path: '' };
  return [`GET ${api} ${path}`, `GET ${api} ${path}/{id}`];
}

/** Nothing of these is there without connected routers or clients: only their lists are tried. */
const absent: ReadonlySet<string> = new Set(['link', 'circuit', 'session']);

/** The trial of an operation that belongs to a verb of a kind. @param target names an entity */
function kindTrial(key: string, verb: KindVerb, kind: string, target: string): Trial {
  const [list = '', detail = ''] = reads(kind);
  if (absent.has(kind) && verb !== 'list') {
    const more = verb === 'delete' ? ['--yes'] : verb === 'update' ? ['--static-cost', '2'] : [];
    return { words: [verb, kind, target, ...more], asks: [list], code: 4 };
  }
  switch (verb) {
    case 'list':
      return { words: ['list', kind, '-o', 'name'], asks: [key] };
    case 'get':
      return { words: ['get', kind, target, '-o', 'yaml'], asks: [list, key] };
    case 'update':
      return { words: ['update', kind, target, '--tag', 'a=b'], asks: [list, detail, key] };
    case 'delete':
      return { words: ['delete', kind, target, '--yes'], asks: [list, key] };
    case 'create':
      throw new Error('creations come from furnished.ts');
  }
}

/** The trials of the verbs that are about no kind. @param at the word before names */
function actionTrials(at: (kind: string) => string): Trial[] {
  const [identity, service, router] = [at('identity'), at('service'), at('edge-router')];
  const [identities = '', shown = ''] = reads('identity');
  const [authenticators = ''] = reads('authenticator');
  const [routers = '', routerShown = ''] = reads('edge-router');
  const [services = ''] = reads('service');
  const [enrollments = '', enrollmentShown = ''] = reads('enrollment');
  const m = (method: string, path: string) => `${method} management ${path}`;
  const ofIdentity = (method: string, path: string) => m(method, `/identities/{id}/${path}`);
  return [
    {
      words: ['whoami'],
      asks: ['version', 'current-identity', 'current-api-session'].map((one) =>
        m('GET', `/${one}`),
      ),
    },
    {
      words: ['audit', '--from', '1'],
      asks: ['figures', 'log/{lsn}']
        .map((one) => m('GET', `/inspect/${one}`))
        .concat(m('GET', '/audit')),
    },
    {
      words: ['explain', identity, service],
      asks: [identities, services, ofIdentity('GET', 'services/{serviceId}/explain')],
    },
    {
      words: ['get', 'identity', identity],
      asks: [identities, shown, ofIdentity('GET', 'services')],
    },
    {
      words: ['enroll', identity],
      asks: [identities, enrollments, m('POST', '/enrollments/{id}/refresh'), enrollmentShown],
    },
    {
      words: ['delete', 'enrollment', identity, '--yes'],
      asks: [enrollments, identities, m('DELETE', '/enrollments/{id}')],
    },
    {
      words: ['enroll', identity],
      asks: [identities, enrollments, m('POST', '/enrollments'), enrollmentShown],
    },
    {
      words: ['re-enroll', 'er', router],
      asks: [routers, m('POST', '/edge-routers/{id}/re-enroll'), routerShown],
    },
    {
      words: ['password', identity],
      asks: [identities, authenticators, m('POST', '/authenticators')],
    },
    {
      words: ['password', identity],
      asks: [identities, authenticators, m('PATCH', '/authenticators/{id}')],
    },
    {
      words: ['re-enroll', 'authenticator', identity],
      asks: [authenticators, identities, m('POST', '/authenticators/{id}/re-enroll')],
    },
    { words: ['remove-mfa', identity], asks: [identities, ofIdentity('DELETE', 'mfa')] },
    { words: ['disable', identity], asks: [identities, ofIdentity('POST', 'disable')] },
    { words: ['enable', identity], asks: [identities, ofIdentity('POST', 'enable')] },
    { words: ['log-level'], asks: [m('GET', '/inspect/log-level')] },
    { words: ['log-level', 'info'], asks: [m('PUT', '/inspect/log-level')] },
  ];
}

/**
 * Operations that are tested with the command that asks them: logins, the panels of `top`, which
 * leaves out what its caller may not read, and the proof of a CA, which needs its key.
 */
const elsewhere = [
  'POST management /authenticate',
  'POST management /authenticate/mfa',
  'DELETE management /current-api-session',
  'GET management /inspect/processes',
  'GET management /inspect/machines',
  'GET management /inspect/machines/{kind}/instances',
  'POST fabric /inspections',
  'POST management /cas/{id}/verify',
];

const asked = new Set<string>();

/** Types one command as a caller. @returns what is wrong with how it ended */
async function problemOf(
  { name, may, refusal }: Caller,
  person: Person,
  { words, body, asks, code = 0 }: Trial,
): Promise<{ readonly said: Said; readonly problem: string | undefined }> {
  const isOpen = asks.every((key) => may(rowOf(key)));
  if (isOpen) for (const key of asks) asked.add(key);
  const answers = words[0] === 'password' ? { answers: ['a new password'] } : {};
  const input = body === undefined ? {} : { input: JSON.stringify(body) };
  const said = await person.types(words, { ...answers, ...input });
  const isRight = isOpen ? said.code === code : said.code === 5 && refusal.test(said.err);
  const problem = `${name}: ${words.join(' ')}: ${said.code} ${said.err}${isOpen ? '' : said.out}`;
  return { said, problem: isRight ? undefined : problem };
}

/** Types every command as a caller. @returns what went wrong */
async function typeAll(caller: Caller, own: Targets, others: Targets): Promise<string[]> {
  const person = personWith(t, serving, caller.token);
  const problems: string[] = [];
  const tried = async (trial: Trial): Promise<Said> => {
    const { said, problem } = await problemOf(caller, person, trial);
    if (problem !== undefined) problems.push(problem);
    return said;
  };
  const created: string[] = [];
  // Who creates nothing names what is there, so that a right is all that is missing.
  const createsAny = caller.may(rowOf('POST management /services'));
  for (const { kind, name, words, body } of await creationsOf(
    caller.name,
    createsAny ? caller.name : 'first',
  )) {
    const [, detail = ''] = reads(kind);
    const key = [...operationCommands].find(([, one]) => one === `create ${kind}`)?.[0] ?? '';
    const command = ['create', kind, ...words, '-o', 'id'];
    const said = await tried({ words: command, body, asks: [key, detail] });
    if (said.code !== 0) continue;
    own.set(kind, name === '' ? `id:${said.out.trim().split('\n')[0]}` : name);
    created.unshift(kind);
  }
  const target = (kind: string) => own.get(kind) ?? others.get(kind) ?? 'gone';
  for (const verb of ['list', 'get', 'update'] as const) {
    for (const [key, command] of operationCommands) {
      const [first = '', kind = ''] = command.split(' ');
      if (first !== verb || kind === '') continue;
      const isOld = kind === 'enrollment' || kind === 'authenticator';
      await tried(kindTrial(key, verb, kind, isOld ? 'first identity' : target(kind)));
    }
  }
  for (const trial of actionTrials(target)) await tried(trial);
  const deleted = ['session', 'api-session', 'circuit', 'link', 'authenticator', 'terminator'];
  const inOrder = [...deleted, ...created, ...kindRows.map(({ name }) => name)];
  for (const kind of new Set(inOrder)) {
    const key = [...operationCommands].find(([, one]) => one === `delete ${kind}`)?.[0];
    if (key === undefined || kind === 'enrollment') continue;
    await tried(kindTrial(key, 'delete', kind, target(kind)));
  }
  return problems;
}

/** What names an entity of each kind. */
type Targets = Map<string, string>;

t.test('who may use which command, and what the others are told', async (t) => {
  const callers = await allCallers();
  const admin = personWith(t, serving, root.token);
  const first: Targets = new Map([
    ['identity-type', 'Default'],
    ['posture-check-type', 'OS'],
  ]);
  for (const { kind, name, words, body } of await creationsOf('first')) {
    const input = body === undefined ? {} : { input: JSON.stringify(body) };
    const said = await admin.types(['create', kind, ...words, '-o', 'id'], input);
    if (said.code !== 0) throw new Error(said.err);
    first.set(kind, name === '' ? `id:${said.out.trim().split('\n')[0]}` : name);
  }
  await admin.types(['password', 'first identity'], { answers: ['a first password'] });
  first.set('authenticator', 'first identity');
  // By day one of those who have no session: they are told apart before their operations are.
  const isTried = ({ name, refusal }: Caller) => isNightly || refusal !== over || name === 'ended';
  for (const caller of callers.filter(isTried)) {
    const user = await newSession(`user of ${caller.name}`);
    const own: Targets = new Map([['api-session', `id:${user.session.sessionId}`]]);
    t.strictSame(await typeAll(caller, own, first), [], caller.name);
  }
  t.strictSame(
    [...operationCommands]
      .filter(([key, command]) => !asked.has(key) && !absent.has(command.split(' ')[1] ?? ''))
      .map(([key]) => key)
      .filter((key) => !elsewhere.includes(key)),
    [],
    'somebody has asked every operation',
  );
});
