// Calls every operation of both APIs as every kind of caller, and compares the answers with
// privilege-matrix.txt.

import t from 'tap';
import { operations } from '../../../src/assembly/operations.ts';
import type { AnyOperation } from '../../../src/declare/operations/operation.ts';
import { permissionNames } from '../../../src/declare/resources/permission-names.ts';
import { isNightly } from '../../campaigns.ts';
import type { Answer } from '../../simulated/network.ts';
import { AnswerCheck } from '../harness/answer-check.ts';
import { type Credential, World } from './callers.ts';
import {
  addressOf,
  type CallerKind,
  callerKinds,
  type MatrixRow,
  matrixKey,
  opens,
  readMatrix,
} from './privilege-table.ts';
import { requestFor, type ValidRequest } from './requests.ts';

const matrix = readMatrix();
const check = new AnswerCheck();

t.test('every operation has its row, and every row its operation', (t) => {
  t.same(matrix.map(matrixKey).sort(), operations.flatMap(matrixKeys).sort());
  t.end();
});

const credentials: readonly Credential[] = ['zt-session', 'Bearer', 'net-session'];

for (const credential of credentials) {
  t.test(`who may call what, with the token in ${credential}`, async (t) => {
    const world = await World.boot(credential);
    for (const row of credential === 'zt-session' || isNightly ? matrix : sampleOf(matrix)) {
      const problems: string[] = [];
      const refusedRequest = await requestFor(row, world, 'full');
      for (const kind of callerKinds) {
        const isRefused = ['-', '403'].includes(row.cells[kind]);
        const request = isRefused ? refusedRequest : await requestFor(row, world, kind);
        const own = isRefused ? undefined : request.from;
        const { token } = own ?? (await world.standing(kind));
        const headers = merged(request.headers, world.headersOf(token));
        problems.push(...(await drive(world, row, kind, { ...request, headers })));
      }
      t.same(problems, [], `line ${row.line}: ${matrixKey(row)}`);
    }
    t.same(world.network.logged, [], 'nothing went wrong inside');
    await world.network.stop();
  });
}

/**
 * By day, one row of each sort for the other ways to show a session: they are told apart before
 * anything looks at the operation. Rows of a session's own things are all different.
 */
function sampleOf(rows: readonly MatrixRow[]): readonly MatrixRow[] {
  const sorts = new Map<string, MatrixRow>();
  for (const row of rows) {
    const { api, path, cells, permission = '' } = row;
    const own = path.startsWith('/current-') || path.startsWith('/authenticate') ? path : '';
    const sort = [api, own, permission, ...Object.values(cells)].join(' ');
    if (!sorts.has(sort)) sorts.set(sort, row);
  }
  return [...sorts.values()];
}

/** A request may show another JWT beside that of its caller, each in a line of its own. */
function merged(
  own: ValidRequest['headers'] = {},
  session: Readonly<Record<string, string>>,
): NonNullable<ValidRequest['headers']> {
  const { authorization } = own;
  if (authorization === undefined || session['authorization'] === undefined) {
    return { ...own, ...session };
  }
  return { ...own, authorization: [authorization, session['authorization']].flat() };
}

t.test('every operation of administrators says which permission opens it', (t) => {
  const silent = operations.filter(({ access, permission }) => {
    return /^admin/.test(access) && permission === undefined;
  });
  t.same(silent.flatMap(matrixKeys), []);
  for (const row of matrix.filter(({ permission }) => permission !== undefined)) {
    const operation = operations.find((one) => matrixKeys(one).includes(matrixKey(row)));
    const names = permissionNames.filter((name) => opens(row, name));
    t.same([...(operation?.openedBy ?? [])].sort(), names, matrixKey(row));
  }
  t.end();
});

function matrixKeys({ method, apis, path }: AnyOperation): string[] {
  return apis.map((api) => matrixKey({ method, api, path }));
}

t.test('who may call what with one permission', async (t) => {
  const world = await World.boot();
  const { network } = world;
  // Otherwise the administrators rely on every external JWT signer.
  const noSigner = { primary: { extJwt: { allowed: false } } };
  await network.must('PATCH', 'M:/auth-policies/default', noSigner);
  const holder = await world.newParty();
  const rows = matrix.filter(({ cells }) => /^(-|403)$/.test(cells.full) && cells.admin !== '-');
  for (const name of permissionNames) {
    // The session was there before its permission.
    await network.must('PATCH', `M:/identities/${holder.id}`, { permissions: [name] });
    const headers = { 'zt-session': holder.token ?? '' };
    const problems: string[] = [];
    for (const row of rows) {
      const isOpen = opens(row, name);
      const request = isOpen ? await requestFor(row, world, 'admin') : {};
      const full = isOpen ? row.cells.admin : row.cells.full;
      const expected = { ...row, cells: { ...row.cells, full } };
      const found = await drive(world, expected, 'full', {
        ...request,
        headers: { ...request.headers, ...headers },
      });
      problems.push(...found.map((problem) => `${matrixKey(row)}: ${problem}`));
    }
    t.same(problems, [], name);
  }
  await network.stop();
});

/** What is wrong with how a caller of a kind is answered. */
async function drive(
  { network, isByOidc }: World,
  row: MatrixRow,
  kind: CallerKind,
  { ids = [], query = '', shows = [], from: _, ...options }: ValidRequest,
): Promise<string[]> {
  const { journal } = network.core;
  const path = addressOf(row, ids);
  await network.clock.settle();
  const before = journal.lastLsn;
  const address = query === '' ? path : `${path}?${query}`;
  const answer = await network.call(row.method, address, { ...options, token: null });
  await network.clock.settle();
  const cell = row.cells[kind];
  const isOpen = /^(20|own|no-)/.test(cell);
  const problems = [
    problemOf(isByOidc ? (cellsByOidc[cell] ?? cell) : cell, answer, shows),
    cell === '-' ? challengeProblem(isByOidc, kind, answer) : undefined,
    check.problem(row.method, path, answer),
    (row.method !== 'GET' && isOpen) || (isLookAtCodes(row) && isOpen)
      ? undefined
      : sameLsn(before, journal.lastLsn),
  ];
  return problems.flatMap((problem) => (problem === undefined ? [] : `${kind}: ${problem}`));
}

/**
 * The only GET that writes: it notes the code that it takes, so that nobody uses it again, and
 * counts wrong ones.
 */
const isLookAtCodes = ({ path }: MatrixRow) => path === '/current-identity/mfa/recovery-codes';

const codes: Readonly<Record<string, readonly [status: number, code: string]>> = {
  '-': [401, 'UNAUTHORIZED'],
  '403': [403, 'UNAUTHORIZED'],
  '404': [404, 'NOT_FOUND'],
  'no-auth': [401, 'INVALID_AUTH'],
  'no-code': [401, 'MFA_INVALID_TOKEN'],
  'no-ha': [400, 'SERVER_NOT_RUNNING_IN_HA_MODE'],
  opaque: [400, 'INVALID_BACKING_TOKEN_TYPE'],
  offline: [400, 'COULD_NOT_VALIDATE'],
  'no-app': [409, 'MFA_NOT_ENROLLED'],
};

/** Cells that differ for sessions by OIDC, because these callers have no authenticator app. */
const cellsByOidc: Readonly<Record<string, string>> = { opaque: 'no-app' };

function problemOf(cell: string, answer: Answer, shows: readonly string[]): string | undefined {
  const text = answer.body.toString();
  const told = `${cell} expected, answered ${answer.status} ${text.slice(0, 400)}`;
  if (cell === 'own') {
    const isOwn = answer.status < 300 && !shows.some((one) => text.includes(one));
    return isOwn ? undefined : told;
  }
  const refusal = codes[cell];
  if (refusal === undefined) {
    const isShown = shows.every((one) => text.includes(one));
    return String(answer.status) === cell && isShown ? undefined : told;
  }
  const [status, code] = refusal;
  return answer.status === status && answer.code === code ? undefined : told;
}

const challenges: Readonly<Partial<Record<CallerKind, string>>> = {
  none: 'missing',
  dead: 'invalid',
  ended: 'invalid',
  idle: 'invalid',
  off: 'invalid',
};

/** An access token says by itself that it has expired. */
const challengesByOidc: typeof challenges = { ...challenges, idle: 'expired' };

function challengeProblem(
  isByOidc: boolean,
  kind: CallerKind,
  { headers }: Answer,
): string | undefined {
  const wanted = (isByOidc ? challengesByOidc : challenges)[kind];
  const challenge = headers['www-authenticate'];
  // Who shows nothing is told of both.
  const isBearer = isByOidc && kind !== 'none';
  const scheme = isBearer ? 'Bearer realm="openziti-oidc"' : 'zt-session realm="zt-session"';
  const isRight =
    wanted === undefined
      ? challenge === undefined
      : challenge?.startsWith(`${scheme} error="${wanted}"`) === true;
  return isRight ? undefined : `www-authenticate: ${challenge}`;
}

function sameLsn(before: number, after: number): string | undefined {
  return before === after ? undefined : `${after - before} frames were written`;
}
