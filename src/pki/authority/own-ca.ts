// The controller's own certificate authority: a root and an intermediate, created at the first
// start, then read.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { PkiProblem } from '../problem.ts';
import {
  isIssuedBy,
  keyToPem,
  parseCertificates,
  parsePrivateKey,
  requireKeyOf,
} from '../x509/pem.ts';
import { readText, replaceText } from './files.ts';
import { type CertifiedKey, issueCertificate, makeKey } from './issue.ts';
import type { PkiContext } from './settings.ts';

/** The root signs the intermediate once; the intermediate signs everything else. */
export interface OwnCa {
  readonly root: X509Certificate;
  readonly intermediate: CertifiedKey;
}

/** Ten years of 365.25 days. */
const authorityLifetimeMs = 3652.5 * 24 * 3600 * 1000;
/** How far certificates are backdated, for clients whose clock is slow (behaviour/certificates). */
export const backdatingMs = 60_000;

/**
 * The CA of the home; undefined before it is created.
 * @throws PkiProblem when files of it are missing, damaged or don't belong together.
 */
export function loadOwnCa(context: PkiContext): OwnCa | undefined {
  const { disk, directory } = context;
  const intermediatePath = join(directory, 'intermediate.pem');
  if (!disk.exists(intermediatePath)) {
    refuseIfUsed(context);
    return undefined;
  }
  const rootPem = readText(disk, join(directory, 'root.pem'), 'root.pem');
  const [root] = parseCertificates(rootPem, 'root.pem');
  const pem = readText(disk, intermediatePath, 'intermediate.pem');
  const [certificate] = parseCertificates(pem, 'intermediate.pem');
  const keyPem = readText(disk, join(directory, 'intermediate.key'), 'intermediate.key');
  const key = parsePrivateKey(keyPem, 'intermediate.key');
  requireKeyOf(certificate, key, 'intermediate.pem', 'intermediate.key');
  if (!isIssuedBy(certificate, root)) {
    throw new PkiProblem('intermediate.pem was not issued by root.pem.');
  }
  return { root, intermediate: { key, certificate } };
}

/**
 * Creates the CA and writes `root.key`, `root.pem`, `intermediate.key` and finally
 * `intermediate.pem`. While that file is missing nothing was issued, so an interrupted start can
 * begin again.
 */
export async function makeOwnCa(context: PkiContext, trustDomain: string): Promise<OwnCa> {
  const { random, settings } = context;
  const [rootKey, intermediateKey] = await Promise.all([
    makeKey(settings.keyType),
    makeKey(settings.keyType),
  ]);
  // Part of the names, so that a client that trusts two networks cannot confuse their roots.
  const mark = random.bytes(4).toString('hex');
  const root = issueCertificate(
    authority(context, `Edge Control Root ${mark}`, rootKey, trustDomain, 1),
    { key: rootKey, certificate: 'self' },
    random,
  );
  const certificate = issueCertificate(
    authority(context, `Edge Control Intermediate ${mark}`, intermediateKey, trustDomain, 0),
    { key: rootKey, certificate: root },
    random,
  );
  const put = (name: string, text: string): void =>
    replaceText(context.disk, join(context.directory, name), text);
  put('root.key', keyToPem(rootKey));
  put('root.pem', root.toString());
  put('intermediate.key', keyToPem(intermediateKey));
  put('intermediate.pem', certificate.toString());
  return { root, intermediate: { key: intermediateKey, certificate } };
}

function authority(
  { clock }: PkiContext,
  commonName: string,
  publicKey: KeyObject,
  trustDomain: string,
  pathLength: number,
): Parameters<typeof issueCertificate>[0] {
  const notBeforeMs = clock.now() - backdatingMs;
  return {
    commonName,
    publicKey,
    alternativeNames: [{ type: 'url', value: `spiffe://${trustDomain}` }],
    notBeforeMs,
    notAfterMs: notBeforeMs + authorityLifetimeMs,
    use: { as: 'authority', pathLength },
  };
}

/**
 * A lost CA must not be replaced silently by a new one, because every enrolled identity would be
 * locked out.
 */
function refuseIfUsed({ disk, directory }: PkiContext): void {
  const rootPath = join(directory, 'root.pem');
  const trustPath = join(directory, 'ca.pem');
  if (!disk.exists(rootPath) || !disk.exists(trustPath)) return;
  const root = readText(disk, rootPath, 'root.pem');
  if (!readText(disk, trustPath, 'ca.pem').includes(root)) return;
  throw new PkiProblem(
    `intermediate.pem is missing in ${directory}, though the controller ran with it; put it back.`,
  );
}
