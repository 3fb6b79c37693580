// What the audit feed, the log command and the inspector mask: the fields that are declared
// secrets, and free-form values whose names say that they are.

import t from 'tap';
import type { TSchema } from 'typebox';
import Type from 'typebox';
import { field } from '../../src/declare/kinds/field.ts';
import type { Kind } from '../../src/declare/kinds/kind.ts';
import { isSecretField, shownValue } from '../../src/declare/kinds/masking.ts';
import { secretMask } from '../../src/errors/errors.ts';
import { kinds } from '../../src/resources/index.ts';

/** Every field that is declared a secret. Whoever declares another one adds it here. */
const secretFields = [
  'apiSession.tokenHash',
  'enrollment.tokenHash',
  'apiSession.token',
  'authRequest.callbackKey',
  'authRequest.clientState',
  'authRequest.codeChallenge',
  'authRequest.codeHash',
  'authRequest.formToken',
  'authRequest.nonce',
  'authenticator.passwordHash',
  'ca.verificationToken',
  'clusterInvitation.secretHash',
  'ca.jwt',
  'enrollment.token',
  'enrollment.jwt',
  'mfaEnrollment.secret',
  'mfaEnrollment.recoveryCodes',
  'tokenKey.privateKey',
  'terminator.identitySecret',
  'terminator.peerData',
];

/** Declared names that sound like secrets and are none, so that operators see them. */
const shownFields = [
  'apiSession.mfaPassedAt',
  'apiSession.jwt',
  'authRequest.codeUntil',
  'authRequest.login.isKeyRollRequested',
  'authenticator.publicKeyPrint',
  'authenticator.pendingPublicKeyPrint',
  'authenticator.isKeyRollRequested',
  'authenticator.lastExtendRolledKeys',
  'authPolicy.primary.extJwt',
  'authPolicy.primary.updb.minPasswordLength',
  'authPolicy.secondary.requireExtJwtSigner',
  'externalJwtSigner.enrollToTokenEnabled',
  'externalJwtSigner.targetToken',
  'mfaEnrollment.wrongCodes',
  'postureCheck.process.hashes',
  'postureCheck.processes.hashes',
  'postureData.processes.hash',
  'tokenKey.publicKey',
];

const soundsSecret = /pass|secret|token|jwt|key|credential|private|code|hash|seal|pin$/i;

interface Described {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly patternProperties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly writeOnly?: boolean;
}

interface Declared {
  readonly path: string;
  readonly isSecret: boolean;
}

/** Every declared property of a schema, however deep. */
function* propertiesIn(schema: Described, path: string): Generator<Declared> {
  for (const variant of schema.anyOf ?? []) yield* propertiesIn(variant, path);
  if (schema.items !== undefined) yield* propertiesIn(schema.items, path);
  for (const one of Object.values(schema.patternProperties ?? {})) yield* propertiesIn(one, path);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield { path: `${path}.${name}`, isSecret: property.writeOnly === true };
    yield* propertiesIn(property, `${path}.${name}`);
  }
}

function declaredBy(kind: Kind): Declared[] {
  return kind.fieldNames.flatMap((name) => {
    const { schema, secret } = kind.fields[name] ?? { schema: {}, secret: false };
    const path = `${kind.kind}.${name}`;
    return [{ path, isSecret: secret !== false }, ...propertiesIn(schema as Described, path)];
  });
}

/** A value with something in each declared property. */
function sample(schema: Described): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [variant] = schema.anyOf ?? [];
  if (variant !== undefined) return sample(variant);
  if (schema.type === 'array') return schema.items === undefined ? [] : [sample(schema.items)];
  if (schema.type === 'object') {
    const [inMap] = Object.values(schema.patternProperties ?? {});
    return Object.fromEntries([
      ...Object.entries(schema.properties ?? {}).map(([name, one]) => [name, sample(one)]),
      ...(inMap === undefined ? [] : [['some-id', sample(inMap)]]),
    ]);
  }
  if (schema.type === 'integer') return 7;
  return schema.type === 'boolean' ? true : 'shown text';
}

t.test('each declared field is a secret of the list, or shown', async (t) => {
  const all = kinds.flatMap(declaredBy);
  const secrets = all.filter(({ isSecret }) => isSecret).map(({ path }) => path);
  t.same(secrets.sort(), [...secretFields].sort(), 'the declared secrets');
  const alike = all.filter(({ path, isSecret }) => {
    return !isSecret && soundsSecret.test(path.slice(path.lastIndexOf('.') + 1));
  });
  t.same(
    [...new Set(alike.map(({ path }) => path))].sort(),
    [...shownFields].sort(),
    'a name that sounds like a secret is declared `secret`, or listed in shownFields',
  );
});

for (const kind of kinds) {
  t.test(`${kind.kind}: declared fields are masked or shown as they are`, async (t) => {
    for (const name of kind.fieldNames) {
      const { schema, secret } = kind.fields[name] ?? { schema: {}, secret: false };
      const value = sample(schema as Described);
      const isListed = secretFields.includes(`${kind.kind}.${name}`);
      t.equal(isSecretField(kind, name), isListed, name);
      t.equal(secret !== false, isListed, name);
      t.same(shownValue(kind, name, value), isListed ? secretMask : value, name);
    }
  });
}

function kindOf(fields: Readonly<Record<string, TSchema>>): Pick<Kind, 'fields'> {
  const entries = Object.entries(fields).map(([name, schema]) => {
    return [name, field(schema, { required: true })] as const;
  });
  return { fields: Object.fromEntries(entries) };
}

const maskedNames = [
  'password',
  'adminPassword',
  'secret',
  'clientSecret',
  'token',
  'refresh_token',
  'jwt',
  'apiKey',
  'api_key',
  'api-key',
  'apikey',
  'API_KEYS',
  'credential',
  'awsCredentials',
  'passphrase',
  'keyPassphrase',
  'private',
  'privateKey',
  'private_key',
  'Authorization',
];
const plainNames = ['name', 'key', 'privateer', 'tokenEndpoint', 'isPrivateNetwork', 'hostname'];

t.test('free-form values are masked by name', async (t) => {
  const free = kindOf({ data: Type.Object({}, { additionalProperties: true }) });
  for (const [known, value] of [
    ['tags', (name: string) => ({ [name]: 'text' })],
    ['data', (name: string) => ({ list: [{ [name]: 'text' }] })],
    ['data', (name: string) => ({ properties: { [name]: { default: 'text' } } })],
  ] as const) {
    for (const name of maskedNames) {
      const shown = JSON.stringify(shownValue(free, known, value(name)));
      t.notOk(shown.includes('text'), `${known}: ${name}`);
    }
    for (const name of plainNames) t.same(shownValue(free, known, value(name)), value(name), name);
  }
  t.same(shownValue(free, 'tags', { isSecret: true, secret: false }), {
    isSecret: true,
    secret: false,
  });
  t.same(shownValue(free, 'data', { token: null }), { token: null });
  t.same(shownValue({ fields: {} }, 'token', 'text'), secretMask, 'a field of no declared kind');
});

t.test('within a declared field, declared properties are not evaluated by name', async (t) => {
  const kind = kindOf({
    policy: Type.Object({
      extJwt: Type.Object({ allowed: Type.Boolean(), signers: Type.Array(Type.String()) }),
      pepper: Type.String({ writeOnly: true }),
      more: Type.Object({}, { additionalProperties: true }),
    }),
    lines: Type.Union([Type.Array(Type.Object({ token: Type.String() })), Type.Null()]),
    map: Type.Record(Type.String(), Type.Object({ password: Type.Integer() })),
  });
  const extJwt = { allowed: true, signers: ['idp'] };
  t.same(
    shownValue(kind, 'policy', { extJwt, pepper: 'x', more: { apiKey: 'x' }, toString: 'x' }),
    { extJwt, pepper: secretMask, more: { apiKey: secretMask }, toString: 'x' },
  );
  t.same(shownValue(kind, 'lines', [{ token: 'a', jwt: 'b' }]), [{ token: 'a', jwt: secretMask }]);
  t.same(shownValue(kind, 'map', { some: { password: 7 }, secret: { password: 7 } }), {
    some: { password: 7 },
    secret: secretMask,
  });
});
