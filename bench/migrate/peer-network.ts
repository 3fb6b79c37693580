// A network of the peer on the disk. Its entities are made when they are written, because all of
// them together do not fit the heap.

import { createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHasher } from '../../src/auth/passwords/hasher.ts';
import type { KeyType } from '../../src/pki/authority/issue.ts';
import {
  type CertificateSigner,
  certificateSigner,
  commonNameOnly,
  writeCertificate,
} from '../../src/pki/x509/certificate-writer.ts';
import { fingerprint, toPem } from '../../src/pki/x509/pem.ts';
import { systemRandom } from '../../src/platform/clock-and-random.ts';
import {
  counted,
  entity,
  flag,
  int,
  long,
  map,
  type PeerValues,
  set,
  text,
} from '../../test/migrate/peer/database.ts';
import { freePort } from '../../test/system/free-ports.ts';
import { clientKey } from '../client-key.ts';
import { rivalArgon2 } from '../home.ts';
import type { ClientCertificates } from '../load/job.ts';
import { callerPassword } from '../requests.ts';
import { type WrittenBucket, type WrittenEntry, writeDatabase } from './database-file.ts';
import { period, spiffeId, writeKeys } from './peer-keys.ts';

/** The size of a network. Each router has a group of identities and services to itself. */
export interface PeerSize {
  readonly identities: number;
  readonly services: number;
  readonly routers: number;
  /** Identities that have a password besides their certificate; the first one administers. */
  readonly passwords: number;
  /** Of the keys of its CAs and its server. All clients have one key, for P-256. */
  readonly keyType: KeyType;
}

/** A network on the disk. */
export interface PeerFiles {
  /** That of its API. */
  readonly port: number;
  readonly database: string;
  readonly configuration: string;
  /** Of the identities with a password, which is `callerPassword`. */
  readonly usernames: readonly string[];
  /** The key and the certificate of one of the identities. */
  readonly client: ClientCertificates;
}

/** Makes a network in a directory that does not exist yet. */
export async function makePeerNetwork(directory: string, size: PeerSize): Promise<PeerFiles> {
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const signing = await writeKeys(directory, { keyType: size.keyType, port });
  const { key, keyPem } = await clientKey();
  const entities = new Entities(size, {
    signer: certificateSigner(signing),
    publicKey: createPublicKey(key),
    password: await hashOf(callerPassword),
  });
  const database = join(directory, 'ctrl.db');
  writeDatabase(database, entities.root());
  const { newest } = entities;
  if (newest === undefined) throw new Error('a network without identities');
  return {
    port,
    database,
    configuration: join(directory, 'ctrl.yaml'),
    usernames: Array.from({ length: size.passwords }, (_, n) => idOf('user', n)),
    client: { key: keyPem, chains: [toPem([newest, signing.certificate])] },
  };
}

/** A hash in the form of the peer. */
async function hashOf(password: string): Promise<PeerValues> {
  const phc = await createHasher(systemRandom).hash(password, rivalArgon2);
  const [salt = '', hash = ''] = phc.split('$').slice(-2);
  const padded = (base64: string) => text(Buffer.from(base64, 'base64').toString('base64'));
  return { updbPassword: padded(hash), updbSalt: padded(salt) };
}

/** Ids of a kind sort as their numbers do. */
function idOf(kind: string, n: number): string {
  return `${kind}-${String(n).padStart(7, '0')}`;
}

function groupOf(n: number): string {
  return idOf('group', n);
}

/** Links to other entities, as the peer stores what follows from its policies. */
function links(ids: readonly string[]) {
  return counted(Object.fromEntries(ids.map((id) => [id, int(1)])));
}

interface EntityParts {
  readonly signer: CertificateSigner;
  readonly publicKey: KeyObject;
  readonly password: PeerValues;
}

class Entities {
  /** The certificate of the identity that was written last. */
  newest: X509Certificate | undefined;
  readonly #size: PeerSize;
  readonly #parts: EntityParts;

  constructor(size: PeerSize, parts: EntityParts) {
    this.#size = size;
    this.#parts = parts;
  }

  root(): WrittenBucket {
    const { identities, services, routers, passwords } = this.#size;
    const authenticators: readonly Sort[] = [
      { kind: 'cert', count: identities, fields: (n) => this.#certificate(n) },
      { kind: 'updb', count: passwords, fields: (n) => this.#password(n) },
    ];
    const bucket = (kind: string, count: number, fields: (n: number) => PeerValues) =>
      written([{ kind, count, fields }]);
    const ziti: WrittenEntry[] = [
      ['authPolicies', map({ default: map(defaultPolicy) })],
      ['authenticators', written(authenticators)],
      ['edgeRouterPolicies', bucket('policy', routers, edgeRouterPolicy)],
      ['identities', bucket('identity', identities, (n) => this.#identity(n))],
      ['routers', bucket('router', routers, (n) => this.#router(n))],
      ['serviceEdgeRouterPolicies', bucket('policy', routers, serviceEdgeRouterPolicy)],
      ['servicePolicies', bucket('policy', routers, servicePolicy)],
      ['services', bucket('service', services, (n) => this.#service(n))],
      ['versions', map({ edge: long(48) })],
    ];
    const meta = map({ timelineId: text('bench') });
    return {
      entries: [
        ['meta', meta],
        ['ziti', { entries: ziti }],
      ],
    };
  }

  #identity(n: number): PeerValues {
    const { services, routers, passwords } = this.#size;
    const dialServices: string[] = [];
    for (let at = n % routers; at < services; at += routers) dialServices.push(idOf('service', at));
    return {
      name: text(idOf('user', n)),
      type: text('Default'),
      isAdmin: flag(n === 0),
      isDefaultAdmin: flag(n === 0),
      authPolicyId: text('default'),
      authenticators: set([idOf('cert', n), ...(n < passwords ? [idOf('updb', n)] : [])]),
      roleAttributes: set([groupOf(n % routers)]),
      dialServices: links(dialServices),
      routers: links([idOf('router', n % routers)]),
      appData: map({}),
      permissions: map({}),
    };
  }

  #certificate(n: number): PeerValues {
    this.newest = this.#issued(idOf('identity', n), `/identity/${idOf('identity', n)}`);
    return {
      method: text('cert'),
      identity: text(idOf('identity', n)),
      certPem: text(toPem([this.newest])),
      certFingerprint: text(fingerprint(this.newest)),
      isIssuedByNetwork: flag(true),
    };
  }

  #password(n: number): PeerValues {
    return {
      method: text('updb'),
      identity: text(idOf('identity', n)),
      updbUsername: text(idOf('user', n)),
      ...this.#parts.password,
    };
  }

  #service(n: number): PeerValues {
    const { routers } = this.#size;
    return {
      name: text(idOf('service', n)),
      terminatorStrategy: text('smartrouting'),
      encryptionRequired: flag(true),
      isFabricOnly: flag(false),
      maxIdleTime: long(0),
      roleAttributes: set([groupOf(n % routers)]),
      edgeRouters: links([idOf('router', n % routers)]),
    };
  }

  #router(n: number): PeerValues {
    const certificate = this.#issued(idOf('router', n), `/router/${idOf('router', n)}`);
    return {
      name: text(idOf('router', n)),
      cost: int(0),
      fingerprint: text(fingerprint(certificate)),
      edge: map({
        isVerified: flag(true),
        isTunnelerEnabled: flag(false),
        certPem: text(toPem([certificate])),
        roleAttributes: set([groupOf(n)]),
      }),
    };
  }

  #issued(commonName: string, path: string): X509Certificate {
    const { signer, publicKey } = this.#parts;
    return writeCertificate(
      {
        subject: commonNameOnly(commonName),
        publicKey,
        alternativeNames: [spiffeId(path)],
        ...period,
        use: { as: 'end', extendedUsages: ['clientAuth'] },
      },
      signer,
      systemRandom,
    );
  }
}

/** Entities of one sort, whose ids begin with `kind`. */
interface Sort {
  readonly kind: string;
  readonly count: number;
  readonly fields: (n: number) => PeerValues;
}

function written(sorts: readonly Sort[]): WrittenBucket {
  return { entries: entitiesOf(sorts) };
}

function* entitiesOf(sorts: readonly Sort[]): Generator<WrittenEntry> {
  for (const { kind, count, fields } of sorts) {
    for (let n = 0; n < count; n++) yield [idOf(kind, n), map(entity(fields(n)))];
  }
}

/** A policy of the group `n`. */
function policyOf(n: number, roles: readonly string[]): PeerValues {
  const role = set([`#${groupOf(n)}`]);
  return {
    name: text(idOf('policy', n)),
    semantic: text('AnyOf'),
    ...Object.fromEntries(roles.map((name) => [name, role])),
  };
}

function servicePolicy(n: number): PeerValues {
  return { type: int(1), ...policyOf(n, ['identityRoles', 'serviceRoles']) };
}

function edgeRouterPolicy(n: number): PeerValues {
  return policyOf(n, ['identityRoles', 'edgeRouterRoles']);
}

function serviceEdgeRouterPolicy(n: number): PeerValues {
  return policyOf(n, ['serviceRoles', 'edgeRouterRoles']);
}

/** The policy that every network has. */
const defaultPolicy = entity({
  isSystem: flag(true),
  name: text('Default'),
  'primary.cert.allowExpiredCerts': flag(true),
  'primary.cert.allowed': flag(true),
  'primary.extJwt.allowed': flag(true),
  'primary.updb.allowed': flag(true),
  'primary.updb.minPasswordLength': long(5),
});
