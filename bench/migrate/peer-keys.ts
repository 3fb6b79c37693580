// The keys and the configuration of a network of the peer, as its quickstart makes them: a root, an
// intermediate that signs everything, and a server.

import type { KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AlternativeName,
  type CertificateContent,
  type CertifiedKey,
  issueCertificate,
  type KeyType,
  makeKey,
} from '../../src/pki/authority/issue.ts';
import { keyToPem, toPem } from '../../src/pki/x509/pem.ts';
import { systemRandom } from '../../src/platform/clock-and-random.ts';

const trustDomain = 'peer.example';

/** The name of a member of the network in certificates. */
export function spiffeId(path = ''): AlternativeName {
  return { type: 'url', value: `spiffe://${trustDomain}${path}` };
}

const dayMs = 24 * 3_600_000;
const now = Date.now();

/** The validity of all certificates. */
export const period = { notBeforeMs: now - dayMs, notAfterMs: now + 365 * dayMs };

/** How keys are made, and the port of the API. */
export interface KeyOptions {
  readonly keyType: KeyType;
  readonly port: number;
}

/** Writes keys, certificates and `ctrl.yaml`. @returns the CA that signs everything */
export async function writeKeys(
  directory: string,
  { keyType, port }: KeyOptions,
): Promise<CertifiedKey> {
  const root = await issued('root', keyType, 'self');
  const signing = await issued('signing', keyType, root);
  const server = await issued('server', keyType, signing, {
    alternativeNames: [{ type: 'dns', value: 'localhost' }, spiffeId('/controller/one')],
    use: { as: 'end', extendedUsages: ['serverAuth', 'clientAuth'] },
  });
  const files = {
    'ca.pem': toPem([root.certificate]),
    'signing.pem': toPem([signing.certificate]),
    'signing.key': keyToPem(signing.key),
    'server.pem': toPem([server.certificate, signing.certificate]),
    'server.key': keyToPem(server.key),
    'ctrl.yaml': configuration(directory, port),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return signing;
}

async function issued(
  commonName: string,
  keyType: KeyType,
  issuer: CertifiedKey | 'self',
  changes: Partial<CertificateContent> = {},
): Promise<CertifiedKey> {
  const key: KeyObject = await makeKey(keyType);
  const content: CertificateContent = {
    commonName,
    publicKey: key,
    alternativeNames: [spiffeId()],
    use: { as: 'authority', pathLength: 1 },
    ...period,
    ...changes,
  };
  const by = issuer === 'self' ? ({ key, certificate: issuer } as const) : issuer;
  return { key, certificate: issueCertificate(content, by, systemRandom) };
}

/** JSON is YAML, too. */
function configuration(directory: string, port: number): string {
  const [address, advertised] = [`127.0.0.1:${port}`, `localhost:${port}`];
  const file = (name: string) => join(directory, name);
  const server = { server_cert: file('server.pem'), key: file('server.key') };
  return JSON.stringify({
    v: 3,
    db: file('ctrl.db'),
    identity: { cert: file('server.pem'), ca: file('ca.pem'), ...server },
    ctrl: { listener: `tls:${address}`, options: { advertiseAddress: `tls:${advertised}` } },
    edge: {
      api: { sessionTimeout: '30m', address: advertised },
      enrollment: { signingCert: { cert: file('signing.pem'), key: file('signing.key') } },
    },
    web: [
      {
        name: 'client-management',
        bindPoints: [{ interface: address, address: advertised }],
        apis: ['edge-management', 'edge-client', 'fabric', 'edge-oidc'].map((binding) => ({
          binding,
        })),
      },
    ],
  });
}
