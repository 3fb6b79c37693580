// The key and the certificate request of the bench's clients: one for all of them, because only the
// server is measured.

import 'reflect-metadata';
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

/** A key with its certificate request. */
export interface ClientKey {
  readonly key: KeyObject;
  /** PKCS #8 in PEM. */
  readonly keyPem: string;
  readonly csrPem: string;
  /** A certificate request for this common name, in PEM. */
  requestFor(name: string): Promise<string>;
}

let made: Promise<ClientKey> | undefined;

/** An EC P-256 key, made once per process. */
export function clientKey(): Promise<ClientKey> {
  made ??= make();
  return made;
}

async function make(): Promise<ClientKey> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const requestFor = async (name: string): Promise<string> => {
    const request = await Pkcs10CertificateRequestGenerator.create(
      { name: [{ CN: [name] }], keys, signingAlgorithm: algorithm },
      webcrypto,
    );
    return request.toString('pem');
  };
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key, keyPem, csrPem: await requestFor('bench client'), requestFor };
}
