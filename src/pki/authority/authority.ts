// Opens the controller's PKI: the keys and certificates for serving, issuing and tokens, and the
// trusted roots.

import type { KeyObject, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { PkiProblem } from '../problem.ts';
import { fingerprint, isIssuedBy, parseCertificates, parsePrivateKey, toPem } from '../x509/pem.ts';
import { readText, reasonOf, replaceText } from './files.ts';
import { makeKey } from './issue.ts';
import { loadOwnCa, makeOwnCa, type OwnCa } from './own-ca.ts';
import { type ChainedKey, loadSupplied, noticesOf, openOwnServer } from './server-certificate.ts';
import { type PkiContext, suppliedPairs } from './settings.ts';

/** Where former releases kept the key of tokens, below `<home>/pki`. */
export const tokenKeyName = 'token.key';

/** The keys and certificates of a running controller. */
export interface Authority {
  /** SPIFFE trust domain, the host part of every `spiffe://` name. */
  readonly trustDomain: string;
  /**
   * Who the controller is for routers, in circuits and in events: the same for all nodes of a
   * cluster. One network has one controller, so it is the trust domain, which outlives certificates
   * and host names, unless the network knew its controller by another id before
   * (`pki.controllerId`). Routers take API sessions and circuits of another id for foreign ones.
   */
  readonly controllerId: string;
  /**
   * The pair at the start: serves the API and signs enrollment JWTs (behaviour/enrollment#jwt).
   * `Serving` holds the one in use later.
   */
  readonly server: ChainedKey;
  /** Signs the certificates of identities, routers and sessions (behaviour/certificates#issued). */
  readonly issuer: ChainedKey;
  /**
   * What clients and the controller trust: roots, and CAs below them that `pki.ca` names as well;
   * the text of `<home>/pki/ca.pem`.
   */
  readonly anchors: readonly X509Certificate[];
  /** Our own CAs below the roots, for clients that send none (behaviour/login#certificates). */
  readonly intermediates: readonly X509Certificate[];
  /**
   * Signs tokens until a record holds a key: that of `token.key` in a home of a former release,
   * else a new one (behaviour/token-keys#storage). EC P-256 always.
   */
  readonly firstTokenKey: KeyObject;
  /** Sentences for the log: a certificate that ends soon, or lacks the advertised host. */
  readonly notices: readonly string[];
  /** The same for another server certificate, at the present time. */
  noticesFor(server: ChainedKey): readonly string[];
  /**
   * The server pair that a start would use now: from the files, or our own renewed pair if it
   * expires soon. @throws PkiProblem when the files do not fit.
   */
  reopenServer(): Promise<ChainedKey>;
}

/**
 * Opens the PKI below `context.directory`; missing parts are created and written. Files that the
 * user configured replace ours.
 * @throws PkiProblem with one sentence when a file is missing, unreadable or doesn't fit the
 *   others.
 */
export async function openAuthority(context: PkiContext): Promise<Authority> {
  const { settings } = context;
  const supplied = suppliedPairs(settings);
  makeDirectory(context);
  const suppliedAnchors = settings.ca === undefined ? [] : readAnchors(context, settings.ca);

  let ownCa = loadOwnCa(context);
  if (supplied.issuer === undefined) {
    ownCa ??= await makeOwnCa(context, settings.trustDomain ?? madeUpTrustDomain(context));
  }
  const anchors = distinct(
    ownCa === undefined ? suppliedAnchors : [ownCa.root, ...suppliedAnchors],
  );
  const issuer =
    supplied.issuer === undefined
      ? ownIssuer(ownCa)
      : loadSupplied(context, supplied.issuer, 'issuer', anchors);
  const reopenServer = async () =>
    supplied.server === undefined
      ? await openOwnServer(context, issuer, anchors)
      : loadSupplied(context, supplied.server, 'server', anchors);
  const server = await reopenServer();
  const firstTokenKey = await openTokenKey(context);
  const intermediates = [...issuer.chain];
  if (ownCa !== undefined && supplied.issuer !== undefined) {
    intermediates.push(ownCa.intermediate.certificate);
  }
  writeIfChanged(context, 'ca-chain.pem', toPem(distinct([...intermediates, ...anchors])));
  // Written last: its existence shows that the first start got this far.
  writeIfChanged(context, 'ca.pem', toPem(anchors));
  const trustDomain = trustDomainOf(settings.trustDomain, issuer, anchors);
  return {
    trustDomain,
    controllerId: settings.controllerId ?? trustDomain,
    server,
    issuer,
    anchors,
    intermediates,
    firstTokenKey,
    notices: noticesOf(server.certificate, issuer.certificate, context),
    noticesFor: ({ certificate }) => noticesOf(certificate, issuer.certificate, context),
    reopenServer,
  };
}

function makeDirectory({ disk, directory }: PkiContext): void {
  try {
    disk.makeDirectory(directory);
  } catch (error) {
    throw new PkiProblem(`${directory} cannot be made: ${reasonOf(error)}.`, { cause: error });
  }
}

function readAnchors({ disk }: PkiContext, path: string): X509Certificate[] {
  const anchors = parseCertificates(readText(disk, path, 'pki.ca'), 'pki.ca');
  if (anchors.some((certificate) => !certificate.ca)) {
    throw new PkiProblem('pki.ca holds a certificate that is not that of a CA.');
  }
  return anchors;
}

/** A bundle that was put together of several files names some CAs twice. */
function distinct(certificates: readonly X509Certificate[]): X509Certificate[] {
  return [...new Map(certificates.map((one) => [one.fingerprint256, one])).values()];
}

function ownIssuer(ca: OwnCa | undefined): ChainedKey {
  if (ca === undefined) throw new Error('an issuer was neither supplied nor made');
  return { ...ca.intermediate, chain: [ca.intermediate.certificate] };
}

async function openTokenKey({ disk, directory }: PkiContext): Promise<KeyObject> {
  const path = join(directory, tokenKeyName);
  if (!disk.exists(path)) return await makeKey('ec-p256');
  const key = parsePrivateKey(readText(disk, path, tokenKeyName), tokenKeyName);
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new PkiProblem(`${tokenKeyName} is not an EC key on the curve P-256.`);
  }
  return key;
}

function madeUpTrustDomain({ random }: PkiContext): string {
  return random.bytes(16).toString('hex');
}

/**
 * The configured trust domain, else that of the issuing CA, else the fingerprint of its root.
 * @throws PkiProblem when the CA was created for another one, because all names already issued
 *   would be foreign.
 */
function trustDomainOf(
  configured: string | undefined,
  issuer: ChainedKey,
  anchors: readonly X509Certificate[],
): string {
  const root = anchors.find((anchor) =>
    isIssuedBy(issuer.chain.at(-1) ?? issuer.certificate, anchor),
  );
  const stated =
    statedTrustDomain(issuer.certificate) ??
    (root === undefined ? undefined : statedTrustDomain(root));
  if (stated === undefined) return configured ?? fingerprint(root ?? issuer.certificate);
  if (configured !== undefined && configured !== stated) {
    throw new PkiProblem(`pki.trustDomain is "${configured}", but the CA is that of "${stated}".`);
  }
  return stated;
}

function statedTrustDomain(certificate: X509Certificate): string | undefined {
  const match = /(?:^|, )URI:spiffe:\/\/([a-z0-9._-]+)/.exec(certificate.subjectAltName ?? '');
  return match?.[1];
}

function writeIfChanged({ disk, directory }: PkiContext, name: string, text: string): void {
  const path = join(directory, name);
  if (disk.exists(path) && readText(disk, path, name) === text) return;
  replaceText(disk, path, text);
}
