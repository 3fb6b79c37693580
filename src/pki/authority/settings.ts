// The settings of keys and certificates, and the context that parts of the PKI work with.

import type { Clock, Disk, Random } from '../../platform/ports.ts';
import type { Config } from '../../settings/config.ts';
import { PkiProblem } from '../problem.ts';

/** The keys `pki.*` of the configuration; all but the kind of new keys may be absent. */
type PkiSettings = Pick<Config['pki'], 'keyType'> & Partial<Config['pki']>;

/** The context for opening the PKI. */
export interface PkiContext {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** `<home>/pki`. */
  readonly directory: string;
  /** The advertised host, a name or an IP address, without port. */
  readonly host: string;
  /** The advertised host of the control channel, where it is another one. */
  readonly controlHost?: string | undefined;
  readonly settings: PkiSettings;
}

/** The names of two files that are only valid together. */
export interface PairPaths {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Pairs up the configured files.
 * @throws PkiProblem when one is given without the others it needs, or the trust domain is not a
 *   valid SPIFFE trust domain.
 */
export function suppliedPairs(
  settings: PkiSettings,
): Record<'server' | 'issuer', PairPaths | undefined> {
  const server = pairOf(settings, 'server');
  const issuer = pairOf(settings, 'issuer');
  const { ca, trustDomain } = settings;
  const name = server === undefined ? 'pki.issuerCert' : 'pki.serverCert';
  if ((server !== undefined || issuer !== undefined) && ca === undefined) {
    throw new PkiProblem(`${name} is given without pki.ca, the CA that clients trust it by.`);
  }
  if (server === undefined && issuer === undefined && ca !== undefined) {
    throw new PkiProblem('pki.ca is given without pki.serverCert or pki.issuerCert.');
  }
  // SPIFFE ID specification §2.1.
  if (trustDomain !== undefined && !/^[a-z0-9._-]{1,255}$/.test(trustDomain)) {
    throw new PkiProblem(
      `pki.trustDomain "${trustDomain}" is not of 1 to 255 lower-case letters, digits, ".", "-", "_".`,
    );
  }
  return { server, issuer };
}

function pairOf(settings: PkiSettings, kind: 'server' | 'issuer'): PairPaths | undefined {
  const { [`${kind}Cert` as const]: certificate, [`${kind}Key` as const]: key } = settings;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate === undefined && key === undefined) return undefined;
  const [given, missing] = key === undefined ? ['Cert', 'Key'] : ['Key', 'Cert'];
  throw new PkiProblem(`pki.${kind}${given} is given without pki.${kind}${missing}.`);
}
