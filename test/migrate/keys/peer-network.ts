// A network of the peer for tests: its configuration, keys and certificates as files in memory.

import { generateKeyPairSync, type KeyObject, type X509Certificate } from 'node:crypto';
import { type HomeFiles, homeFiles } from '../../../src/migrate/keys/home-files.ts';
import type { LeaveOut, Stop } from '../../../src/migrate/report.ts';
import { SourceRefused } from '../../../src/migrate/source-problem.ts';
import {
  type AlternativeName,
  type CertificateContent,
  issueCertificate,
} from '../../../src/pki/authority/issue.ts';
import { keyToPem, toPem } from '../../../src/pki/x509/pem.ts';
import { seededRandom, startMs } from '../../pki/context.ts';

const dayMs = 24 * 3600 * 1000;
const random = seededRandom('peer network');

/** A certificate with its key. */
export interface Pair {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
}

/** Where files of the peer are. */
export const folder = '/peer';

export function ecKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

export function rsaKey(modulusLength: number): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength }).privateKey;
}

/** A CA, signed by another one or by itself. */
export function authority(
  commonName: string,
  issuer: Pair | 'self',
  changes: Partial<CertificateContent> & { readonly key?: KeyObject } = {},
): Pair {
  const { key = ecKey(), ...content } = changes;
  const certificate = issueCertificate(
    {
      commonName,
      publicKey: key,
      alternativeNames: [{ type: 'url', value: 'spiffe://peer.example' }],
      notBeforeMs: startMs - dayMs,
      notAfterMs: startMs + 3000 * dayMs,
      use: { as: 'authority', pathLength: 2 },
      ...content,
    },
    issuer === 'self' ? { key, certificate: 'self' } : issuer,
    random,
  );
  return { key, certificate };
}

/** A certificate of a server or a client. */
export function leaf(
  commonName: string,
  issuer: Pair,
  changes: Partial<CertificateContent> & { readonly key?: KeyObject } = {},
): Pair {
  const { key = ecKey(), ...content } = changes;
  const certificate = issueCertificate(
    {
      commonName,
      publicKey: key,
      alternativeNames: serverNames,
      notBeforeMs: startMs - dayMs,
      notAfterMs: startMs + 300 * dayMs,
      use: { as: 'end', extendedUsages: ['serverAuth', 'clientAuth'] },
      ...content,
    },
    issuer,
    random,
  );
  return { key, certificate };
}

/** The names of the network's server. */
export const serverNames: readonly AlternativeName[] = [
  { type: 'dns', value: 'ctrl.example.com' },
  { type: 'url', value: 'spiffe://peer.example/controller/one' },
];

/** The network that tests change: a root, a signing CA below it, a server and a client. */
export const network = (() => {
  const root = authority('Peer Root', 'self');
  const signing = authority('Peer Signing', root);
  const server = leaf('server', signing);
  return { root, signing, server, client: leaf('client', signing, { key: server.key }) };
})();

/** Texts of its files, by their names in the folder. */
export function networkFiles(changes: Readonly<Record<string, string | undefined>> = {}) {
  const { root, signing, server, client } = network;
  const files: Record<string, string | undefined> = {
    'server.pem': toPem([server.certificate, signing.certificate, root.certificate]),
    'server.key': keyToPem(server.key),
    'client.pem': toPem([client.certificate, signing.certificate]),
    'signing.pem': toPem([signing.certificate]),
    'signing.key': keyToPem(signing.key),
    'ca.pem': toPem([root.certificate]),
    ...changes,
  };
  return new Map(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

/** Sections of the configuration, in JSON, which is YAML; those of `changes` take their place. */
export function configuration(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    v: 3,
    db: 'ctrl.db',
    identity: {
      cert: 'client.pem',
      server_cert: 'server.pem',
      key: 'server.key',
      ca: 'ca.pem',
    },
    ctrl: {
      listener: 'tls:0.0.0.0:6262',
      options: { advertiseAddress: 'tls:ctrl.example.com:6262' },
    },
    edge: {
      api: { address: 'ctrl.example.com:1280' },
      enrollment: { signingCert: { cert: 'signing.pem', key: 'signing.key' } },
    },
    web: [listener()],
    ...changes,
  });
}

/** A listener with one bind point. */
export function listener(changes: Readonly<Record<string, unknown>> = {}) {
  return {
    name: 'all',
    bindPoints: [{ interface: '0.0.0.0:1280', address: 'ctrl.example.com:1280' }],
    apis: ['edge-management', 'edge-client', 'fabric', 'edge-oidc'].map((binding) => ({ binding })),
    ...changes,
  };
}

/** What a migration is given. */
export interface Given {
  readonly files?: ReturnType<typeof networkFiles>;
  readonly text?: string;
  readonly listener?: string;
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly leaveOut?: readonly LeaveOut[];
  readonly nowMs?: number;
}

/** Takes the network over. @throws SourceRefused */
export function taken(given: Given = {}): HomeFiles & { readonly stops: readonly Stop[] } {
  const files = given.files ?? networkFiles();
  const stops: Stop[] = [];
  const result = homeFiles({
    text: given.text ?? configuration(),
    name: 'ctrl.yaml',
    directory: folder,
    variables: given.variables ?? {},
    home: '/home',
    listener: given.listener,
    nowMs: given.nowMs ?? startMs,
    readFile: (path) => {
      const text = files.get(path);
      if (text !== undefined) return text;
      throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
    },
    stop: (stop) => {
      stops.push(stop);
      return given.leaveOut?.includes(stop.what) ?? false;
    },
  });
  return { ...result, stops };
}

/** The sentences by which a network is refused. */
export function refusals(given: Given): readonly string[] {
  try {
    taken(given);
  } catch (error) {
    if (error instanceof SourceRefused) return error.message.split('\n');
    throw error;
  }
  return [];
}
