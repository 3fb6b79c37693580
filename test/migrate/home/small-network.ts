// A small network of the peer on the real disk: keys, configuration and a database, in which an
// administrator, a device and a router know each other.

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createSigner } from '../../../src/pki/tokens/signer.ts';
import { fingerprint, toPem } from '../../../src/pki/x509/pem.ts';
import { startMs } from '../../pki/context.ts';
import { edgeRouter, identity, service } from '../convert/converted.ts';
import { configuration, leaf, network, networkFiles } from '../keys/peer-network.ts';
import {
  counted,
  type DatabaseContent,
  database,
  entity,
  flag,
  int,
  map,
  nil,
  type PeerValues,
  set,
  text,
  time,
} from '../peer/database.ts';

const hourMs = 3600 * 1000;

/** The secret of the administrator's second factor, in clear, as the peer has it. */
export const totpSecret = 'ELK354EO3GGOQPBC';

/** The token of the device's API session. */
export const sessionToken = '2cd2f891-2741-4043-92c0-8a7b906d24e1';

/** The certificate of the device. */
export const deskPair = leaf('desk', network.signing);

/** The certificate of the router. */
export const northPair = leaf('north', network.signing);

/** A JWT of an enrollment, signed with a key: that of the server unless another one is given. */
export function enrollmentJwt(key = network.server.key): string {
  const claims = { iss: 'https://ctrl.example.com:1280', sub: 'phone', em: 'ott', jti: 'token' };
  return createSigner(key, 'kid').signNow(JSON.stringify(claims));
}

const one = { north: int(1) };

/** The entities of each kind. */
export function smallNetwork(): NonNullable<DatabaseContent['kinds']> {
  return {
    authPolicies: {},
    ...people(),
    services: {
      printer: service('printer', {
        roleAttributes: set(['print']),
        edgeRouters: counted(one),
      }),
    },
    routers: { north: router('north', northPair) },
    servicePolicies: {
      prints: policy({
        identityRoles: set(['#staff']),
        serviceRoles: set(['#print']),
        type: int(1),
      }),
    },
    edgeRouterPolicies: {
      everybody: policy({ identityRoles: set(['#all']), edgeRouterRoles: set(['#all']) }),
    },
    serviceEdgeRouterPolicies: {
      everything: policy({ serviceRoles: set(['#all']), edgeRouterRoles: set(['#all']) }),
    },
    enrollments: { ofPhone: enrollment(enrollmentJwt()) },
    apiSessions: { ofDesk: apiSession('desk') },
  };
}

/** An administrator with a second factor, a device, and one that has not enrolled. */
function people() {
  return {
    identities: {
      admin: identity('Admin', {
        isAdmin: flag(true),
        isDefaultAdmin: flag(true),
        routers: counted(one),
      }),
      desk: identity('desk', {
        roleAttributes: set(['staff']),
        dialServices: counted({ printer: int(1) }),
        routers: counted(one),
      }),
      phone: identity('phone', { routers: counted(one) }),
    },
    authenticators: {
      ofAdmin: entity({
        method: text('updb'),
        identity: text('admin'),
        updbUsername: text('admin'),
        updbPassword: text(Buffer.alloc(32, 1).toString('base64')),
        updbSalt: text(Buffer.alloc(10, 2).toString('base64')),
      }),
      ofDesk: certificateOf('desk', deskPair),
    },
    mfas: {
      ofAdmin: entity({
        identity: text('admin'),
        isVerified: flag(true),
        secret: text(totpSecret),
        recoveryCodes: set(['2M74VB']),
        salt: text(''),
      }),
    },
  };
}

function apiSession(identityId: string): PeerValues {
  const atMs = startMs - hourMs;
  return entity({
    token: text(sessionToken),
    identity: text(identityId),
    authenticator: text('ofDesk'),
    lastActivityAt: time(atMs),
    createdAt: time(atMs),
    updatedAt: time(atMs),
    mfaRequired: flag(false),
    mfaComplete: flag(false),
    ipAddress: text('192.0.2.1'),
    configTypes: map({}),
  });
}

/** A verified edge router. */
export function router(name: string, { certificate }: typeof northPair): PeerValues {
  return edgeRouter(name, {
    fingerprint: text(fingerprint(certificate)),
    edge: map({
      isVerified: flag(true),
      isTunnelerEnabled: flag(false),
      certPem: text(toPem([certificate])),
    }),
  });
}

/** An authenticator by a certificate of the network. */
export function certificateOf(identityId: string, { certificate }: typeof deskPair): PeerValues {
  return entity({
    method: text('cert'),
    identity: text(identityId),
    certPem: text(toPem([certificate])),
    certFingerprint: text(fingerprint(certificate)),
    isIssuedByNetwork: flag(true),
  });
}

/** An enrollment of the identity `phone`. */
export function enrollment(jwt: string): PeerValues {
  return {
    method: text('ott'),
    token: text('1f1aa90d-1f03-4980-b861-37a5edaa27e3'),
    jwt: text(jwt),
    issuedAt: time(startMs - hourMs),
    expiresAt: time(startMs + hourMs),
    identity: text('phone'),
    edgeRouter: nil(),
    transitRouter: nil(),
    caId: nil(),
    username: nil(),
  };
}

function policy(roles: PeerValues): PeerValues {
  return entity({
    name: text(`policy ${Object.keys(roles).join()}`),
    semantic: text('AnyOf'),
    ...roles,
  });
}

/** Paths of a network on disk. */
export interface NetworkPaths {
  readonly directory: string;
  readonly database: string;
  readonly configuration: string;
}

/** Writes a network below a directory. @param changes sections of its configuration */
export function writeNetwork(
  directory: string,
  content: DatabaseContent = { kinds: smallNetwork() },
  changes: Readonly<Record<string, unknown>> = {},
): NetworkPaths {
  mkdirSync(directory, { recursive: true });
  for (const [path, content] of networkFiles()) {
    writeFileSync(join(directory, basename(path)), content ?? '');
  }
  const paths = {
    directory,
    database: join(directory, 'ctrl.db'),
    configuration: join(directory, 'ctrl.yaml'),
  };
  writeFileSync(paths.configuration, configuration(changes));
  writeFileSync(paths.database, database(content));
  return paths;
}
