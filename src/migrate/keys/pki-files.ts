// The files of `<home>/pki/` that a network's keys become, and the settings that name them.

import { keyToPem, toPem } from '../../pki/x509/pem.ts';
import type { PkiPaths } from '../configuration/home-settings.ts';
import { anchored, climb } from './certificate-chain.ts';
import type { Material, TakenPair } from './pairs.ts';

/** The files by their names, and the settings by which a start finds them. */
export interface PkiFiles {
  readonly files: ReadonlyMap<string, string>;
  readonly pki: PkiPaths;
}

/** Names of files that no start writes by itself, and `pki import` neither. */
const names = {
  ca: 'migrated-ca.pem',
  issuerCert: 'migrated-issuer.pem',
  issuerKey: 'migrated-issuer.key',
  serverCert: 'migrated-server.pem',
  serverKey: 'migrated-server.key',
} as const;

/**
 * With a signing CA the server pair is the controller's own, so that it is renewed with the same
 * key before it ends. A pair that settings name never is.
 */
export function pkiFiles({ server, issuer, authorities, pool }: Material): PkiFiles {
  const files = new Map<string, string>([[names.ca, toPem(authorities)]]);
  const pki: { -readonly [Name in keyof PkiPaths]: string } = { ca: `pki/${names.ca}` };
  const chainText = ({ certificate }: TakenPair) => {
    const chain = anchored(climb(certificate, pool), authorities) ?? [];
    return toPem(chain.length === 0 ? [certificate] : chain);
  };
  const put = (kind: 'issuer' | 'server', pair: TakenPair) => {
    for (const [setting, text] of [
      [`${kind}Cert` as const, chainText(pair)],
      [`${kind}Key` as const, keyToPem(pair.key)],
    ] as const) {
      files.set(names[setting], text);
      pki[setting] = `pki/${names[setting]}`;
    }
  };
  if (issuer !== undefined) put('issuer', issuer);
  if (server !== undefined && issuer === undefined) put('server', server);
  if (server !== undefined && issuer !== undefined) {
    files.set('server.pem', chainText(server));
    files.set('server.key', keyToPem(server.key));
  }
  return { files, pki };
}
