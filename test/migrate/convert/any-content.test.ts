// Any content of the known fields: each entity is taken over, left out or named as damaged, and
// what is taken over keeps the rules of its kind.

import t from 'tap';
import { SourceDamaged } from '../../../src/migrate/source-problem.ts';
import { isNightly } from '../../campaigns.ts';
import fc from '../../properties.ts';
import { boltBucket } from '../bolt/bolt-writer.ts';
import {
  entity,
  flag,
  float,
  int,
  json,
  list,
  long,
  map,
  nil,
  type PeerValues,
  raw,
  set,
  text,
  time,
} from '../peer/database.ts';
import { converted } from './converted.ts';

/** Texts that mean something somewhere, so that references and states are met. */
const words = [
  '',
  'a',
  'b',
  'default',
  'updb',
  'cert',
  'ott',
  'erott',
  'OS',
  'MAC',
  'PROCESS',
  'PROCESS_MULTI',
  'Linux',
  'AllOf',
  'smartrouting',
  'edge',
  'failed',
  'COMMON_NAME',
  'ALL',
  'NONE',
  'ELK354EO3GGOQPBC',
  '{"type":"object"}',
  '#all',
  '@a',
  '__proto__',
  'constructor',
];

const word = fc.oneof(fc.constantFrom(...words), fc.string());

const single = fc.oneof(
  word.map(text),
  fc.boolean().map(flag),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map(int),
  fc.integer({ min: 0, max: 3 }).map(int),
  fc.maxSafeInteger().map(long),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(float),
  fc.integer({ min: -1e13, max: 1e13 }).map((ms) => time(ms)),
  fc.constant(nil()),
  fc.uint8Array({ maxLength: 20 }).map(raw),
);

const name = fc.oneof(word, fc.constantFrom('osType', 'path', 'hashes', 'index')).filter(Boolean);

const nested = fc.oneof(
  fc.uniqueArray(word).map(set),
  fc.array(single, { maxLength: 3 }).map(list),
  fc.dictionary(name, single).map(map),
  fc.dictionary(name, fc.dictionary(name, single).map(map)).map(map),
  fc.jsonValue().map(json),
);

const fieldsOf: Readonly<Record<string, string>> = {
  configTypes: 'schema target',
  configs: 'type data',
  services:
    'isFabricOnly terminatorStrategy encryptionRequired configs roleAttributes maxIdleTime edge',
  cas: 'certPem fingerprint isVerified externalIdClaim identityRoles identityNameFormat',
  externalJwtSigners: 'issuer kid certPem notBefore scopes targetToken enrollAuthPolicyId enabled',
  authPolicies:
    'primary.extJwt.allowedSigners primary.updb.minPasswordLength secondary.requireExtJwtSigner',
  identities:
    'type isAdmin authPolicyId externalId disabledAt disabledUntil permissions appData ' +
    'defaultHostingPrecedence defaultHostingCost serviceHostingPrecedences serviceHostingCosts ' +
    'serviceConfigs envInfoOs interfaces',
  authenticators:
    'method identity certPem certFingerprint isIssuedByNetwork unverifiedCertPem updbUsername ' +
    'updbPassword updbSalt',
  mfas: 'identity isVerified secret recoveryCodes',
  routers: 'fingerprint cost configs ctrlChanListeners edge transitRouter interfaces',
  enrollments: 'method token jwt issuedAt expiresAt identity edgeRouter caId',
  terminators:
    'service router binding address instanceId instanceSecret peerData hostId cost precedence',
  postureChecks: 'typeId version roleAttributes OS MAC PROCESS PROCESS_MULTI',
  servicePolicies: 'semantic type identityRoles serviceRoles postureCheckRoles',
  edgeRouterPolicies: 'semantic identityRoles edgeRouterRoles',
  serviceEdgeRouterPolicies: 'semantic serviceRoles edgeRouterRoles',
  apiSessions: 'token identity authenticator configTypes mfaRequired mfaComplete lastActivityAt',
  apiSessionCertificates: 'apiSession fingerprint subject pem validAfter',
  eventualEvents: 'type data',
};

const content: fc.Arbitrary<PeerValues> = fc
  .constantFrom(...Object.entries(fieldsOf))
  .chain(([kind, names]) => {
    const fields = ['name', 'tags', 'createdAt', 'isSystem', ...names.split(' ')];
    const one = fc
      .dictionary(fc.constantFrom(...fields), fc.oneof({ arbitrary: single, weight: 3 }, nested))
      .map((some) => boltBucket(entity({ ...usual(kind), ...some })));
    return fc.record({ a: one, b: one }).map((both) => ({ [kind]: boltBucket(both) }));
  });

/** Fields without which an entity is left out before most others are looked at. */
function usual(kind: string): PeerValues {
  switch (kind) {
    case 'authenticators':
      return { method: text('updb'), identity: text('a') };
    case 'terminators':
      return { service: text('a'), router: text('a'), address: text('tcp:a:1') };
    case 'postureChecks':
      return { typeId: text('OS') };
    case 'servicePolicies':
      return { type: int(1) };
    default:
      return {};
  }
}

const targets: PeerValues = Object.fromEntries(
  ['configTypes', 'configs', 'services', 'identities', 'routers'].map((kind) => {
    const fields = { name: text('a'), type: text(kind === 'configs' ? 'a' : 'Default') };
    return [kind, boltBucket({ a: boltBucket(entity(fields)) })];
  }),
);

t.test('any content is taken over whole, left out, or named as damaged', (t) => {
  let [taken, damaged, leftOut] = [0, 0, 0];
  fc.assert(
    fc.property(content, fc.constantFrom(36, 44, 48), (ziti, schema) => {
      const { book, report } = run(schema, { ...targets, ...ziti });
      damaged += book.damagedCount;
      for (const counts of report.buckets) {
        taken += counts.taken;
        leftOut += counts.leftOut;
        const named = counts.damagedRemarks.shown.length;
        if (counts.reason === undefined && counts.read !== counts.taken + counts.leftOut + named) {
          throw new Error(`${counts.bucket} does not add up`);
        }
      }
    }),
    { numRuns: isNightly ? 5000 : 100 },
  );
  t.ok(taken > 100 && damaged > 20 && leftOut > 5, `${taken}, ${damaged}, ${leftOut}`);
  t.end();
});

/** An event that cannot be read fails as a whole: a session could come back by it. */
function run(schema: number, ziti: PeerValues) {
  try {
    return converted({ schema, ziti });
  } catch (error) {
    if (error instanceof SourceDamaged && 'eventualEvents' in ziti) {
      return converted({ schema, ziti: targets });
    }
    throw error;
  }
}
