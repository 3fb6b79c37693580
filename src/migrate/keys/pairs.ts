// Reads the two pairs that a network cannot do without: that of its server, and that of its signing
// CA.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { requireKeyOf } from '../../pki/x509/pem.ts';
import { type PairSources, sourceName } from '../configuration/key-source.ts';
import type { ReportWriter } from '../report.ts';
import type { AuthorityContext } from './authorities.ts';
import { attempt, certificatesOf, privateKeyOf } from './key-files.ts';

/** What keys are taken over with. */
export interface KeyContext extends AuthorityContext {
  /** As in `ReportWriter`. */
  readonly stop: ReportWriter['stop'];
}

/** A certificate with its key. */
export interface TakenPair {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** A pair with the certificates that stand beside its own. */
export interface ReadPair extends TakenPair {
  /** Where the configuration names it. */
  readonly place: string;
  readonly beside: readonly X509Certificate[];
}

/** The pairs of a network and all that is known of its CAs. */
export interface Material {
  readonly server: ReadPair | undefined;
  readonly issuer: ReadPair | undefined;
  readonly authorities: readonly X509Certificate[];
  /** Where a chain may lead over. */
  readonly pool: readonly X509Certificate[];
  readonly client: X509Certificate | undefined;
}

/** What follows from going on without the server pair, and without the signing pair. */
const consequences = [
  'the controller would make another server key, and enrollments that are out would end',
  'the controller would make a CA of its own, which devices do not know, and sign with it from then on',
];

/**
 * Stops the migration for keys that are not in files, and refuses it if nothing would be left.
 * @param pairs of the server, and of the signing CA
 */
export function refuseModules(pairs: readonly PairSources[], { findings, stop }: KeyContext): void {
  const agreed = pairs.map((pair, at) => {
    const held = moduleOf(pair);
    if (held === undefined) return false;
    const text = `${sourceName(held)} is held by a module, which does not give it away: name a file in its place, in a copy of the configuration. Without it ${consequences[at]}.`;
    return stop({ what: 'external-keys', text });
  });
  if (!agreed.every((isAgreed) => isAgreed)) return;
  findings.refuse(
    'Modules hold the server key and the signing key, so nothing would be left that devices trust: give one of them as a file.',
  );
}

/** Undefined if it cannot be had; a refusal or a stop has said why. */
export function readPair(
  sources: PairSources,
  { readFile, findings }: KeyContext,
): ReadPair | undefined {
  const { certificate: certificateSource, key: keySource, place } = sources;
  if (moduleOf(sources) !== undefined) return undefined;
  if (certificateSource === undefined || keySource === undefined) {
    findings.refuse(`${place} names no certificate and key: both are needed.`);
    return undefined;
  }
  const refuse = (sentence: string) => findings.refuse(sentence);
  const certificates = attempt(() => certificatesOf(certificateSource, readFile), refuse);
  const key = attempt(() => privateKeyOf(keySource, readFile), refuse);
  if (certificates === undefined || key === undefined) return undefined;
  const [certificate, ...beside] = certificates;
  const names = [sourceName(certificateSource), sourceName(keySource)] as const;
  return attempt(() => {
    requireKeyOf(certificate, key, ...names);
    return { certificate, key, place, beside };
  }, refuse);
}

/** What a module holds of a pair. */
function moduleOf({ key, certificate }: PairSources): PairSources['key'] {
  return [key, certificate].find((source) => source?.from === 'module');
}
