// The error table and the bodies made from it.

import { STATUS_CODES } from 'node:http';
import { t } from 'tap';
import {
  type ErrorCode,
  type ErrorCodeRow,
  errorCodes,
  isErrorCode,
} from '../../src/errors/error-codes.ts';
import {
  ApiError,
  asApiError,
  errorBody,
  fieldError,
  notFound,
  referencedError,
  tokenInvalid,
  tokenMissing,
  unauthorized,
} from '../../src/errors/errors.ts';

t.test('every row has a real status, a sentence and an occasion', async (t) => {
  for (const [code, row] of Object.entries<ErrorCodeRow>(errorCodes)) {
    t.match(code, /^[A-Z][A-Z_]+$/);
    for (const status of [row.status, ...(row.also ?? [])]) t.ok(STATUS_CODES[status], code);
    t.match(row.message, /^[A-Z].*\.$/, code);
    t.match(row.when, /^[A-Z].*\.$/, code);
  }
});

t.test('statuses of the specification win', async (t) => {
  const expected: readonly (readonly [ErrorCode, number])[] = [
    ['MFA_INVALID_TOKEN', 401],
    ['MFA_NOT_ENROLLED', 401],
    ['INVALID_POSTURE', 400],
    ['INVALID_ENROLLMENT_TOKEN', 404],
    ['INVALID_CLIENT_CERT', 401],
  ];
  for (const [code, status] of expected) t.equal(errorCodes[code].status, status, code);
  t.equal(new ApiError('UNAUTHORIZED', { status: 403 }).status, 403);
  t.equal(referencedError('authPolicyId', ['a'], 400).status, 400);
  t.throws(() => new ApiError('NOT_FOUND', { status: 400 }), { name: 'RangeError' });
  t.ok(isErrorCode('NOT_FOUND'));
  t.notOk(isErrorCode('toString'));
});

t.test('body of a field error', async (t) => {
  const body = errorBody(fieldError('name', 'must not be empty', ''), 'r1');
  t.same(JSON.parse(body), {
    error: {
      code: 'COULD_NOT_VALIDATE',
      message: errorCodes.COULD_NOT_VALIDATE.message,
      requestId: 'r1',
      cause: { field: 'name', reason: 'must not be empty', value: '' },
    },
    meta: { apiVersion: '0.0.1', apiEnrollmentVersion: '0.0.1' },
  });
  const plain = JSON.parse(errorBody(new ApiError('TIMEOUT'), 'r2'));
  t.notOk('cause' in plain.error, 'no cause where there is none');
});

t.test('values are rendered as short strings', async (t) => {
  const renderedAs = (field: string, value: unknown): unknown => {
    const { cause } = fieldError(field, 'wrong', value);
    return cause !== undefined && 'field' in cause ? cause.value : undefined;
  };
  t.equal(renderedAs('cost', 70000), '70000');
  t.equal(renderedAs('cost', null), 'null');
  t.equal(renderedAs('cost', undefined), '');
  t.equal(renderedAs('tags', { a: [1] }), '{"a":[1]}');
  t.equal(renderedAs('name', 'x'.repeat(64)), 'x'.repeat(64));
  t.equal(renderedAs('name', 'x'.repeat(65)), `${'x'.repeat(64)}...`);
  t.equal(
    renderedAs(
      'rows',
      Array.from({ length: 1e5 }, () => 'y'),
    ),
    `${'["y",'.padEnd(64, '"y",')}...`,
  );
});

t.test('secrets are never echoed', async (t) => {
  const body = (field: string, value: unknown) => errorBody(fieldError(field, 'wrong', value), 'r');
  for (const text of [
    body('password', 'hunter22'),
    body('currentPassword', 'hunter22'),
    body('primary.password', 22222222),
    body('', { username: 'a', password: 'hunter22' }),
    body('code', 22222222),
    body('', { code: 'hunter22' }),
    body(
      'updb',
      [{ newPassword: 'hunter22', n: 22222222 }].slice(0, 1).map((o) => ({ ...o, n: 1 })),
    ),
  ]) {
    t.match(text, /\*{6}/);
    t.notMatch(text, /hunter22|22222222/);
  }
  t.match(body('primary.updb.minPasswordLength', -3), /"-3"/, 'a rule is no secret');
});

t.test('not found names entity and id', async (t) => {
  const error = notFound('identity', 'abc');
  t.equal(error.status, 404);
  t.same(error.cause, { code: 'NOT_FOUND', message: 'identity with id abc not found' });
  t.ok(errorBody(notFound('identity', 'z'.repeat(5000)), 'r').length < 400);
});

t.test('challenges of 401', async (t) => {
  t.same(unauthorized().headers, []);
  t.same(tokenMissing().headers, [
    [
      'WWW-Authenticate',
      'zt-session realm="zt-session" error="missing" error_description="the request carries no session token",' +
        'Bearer realm="openziti-oidc" error="missing" error_description="the request carries no bearer token"',
    ],
  ]);
  t.match(tokenInvalid().headers, [['WWW-Authenticate', /error="invalid"/]]);
  const injected = unauthorized({
    scheme: 'Bearer',
    realm: 'openziti-primary-ext-jwt',
    error: 'expired',
    description: 'too old',
    parts: { id: 'a|b', issuer: 'https://x"\r\nset-cookie: y\\' },
  });
  t.same(injected.headers, [
    [
      'WWW-Authenticate',
      'Bearer realm="openziti-primary-ext-jwt" error="expired" error_description="too old" id="a|b" issuer="https://x\\"set-cookie: y\\\\"',
    ],
  ]);
});

t.test('what was not meant for clients keeps its text', async (t) => {
  const error = asApiError(new Error('/home/secret/path'));
  t.equal(error.status, 500);
  t.notMatch(errorBody(error, 'r'), /secret/);
  const known = new ApiError('NOT_FOUND');
  t.equal(asApiError(known), known);
});

t.test('takes no stack, and leaves others theirs', async (t) => {
  t.notMatch(new ApiError('NOT_FOUND').stack ?? '', /\n/);
  t.match(new Error('x').stack ?? '', /\n/);
});
