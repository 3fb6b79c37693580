// The certificate by which the nodes of a cluster know each other. It is apart from the API's, so
// that nothing that clients trust depends on it.

import { createHash, createPublicKey, type KeyObject, type X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Log } from '../../observe/logs.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import { PkiProblem } from '../problem.ts';
import {
  chainTo,
  fingerprint,
  isRoot,
  keyToPem,
  parseCertificates,
  parsePrivateKey,
  requireKeyOf,
  toPem,
} from '../x509/pem.ts';
import type { Authority } from './authority.ts';
import { readText, replaceText } from './files.ts';
import { issueCertificate, makeKey } from './issue.ts';
import { backdatingMs } from './own-ca.ts';
import type { ChainedKey } from './server-certificate.ts';
import type { PkiContext } from './settings.ts';

const dayMs = 24 * 3600 * 1000;
const lifetimeMs = 365 * dayMs;
/** A new certificate is issued this long before the old one expires. */
const renewalMs = 30 * dayMs;

/** The parts of the PKI that issue and check node certificates. */
export type NodeAuthority = Pick<Authority, 'trustDomain' | 'issuer' | 'anchors'>;

/**
 * The pair of this node, from `node.pem` and `node.key` of the home, or created. It is renewed with
 * the same key when it expires soon, names another node or comes from another CA. The key stays,
 * because the other nodes know the node by it (behaviour/cluster#node-certificates).
 * @param nodeId letters, digits, `.`, `_` and `-`, at most 64
 * @throws PkiProblem when files of it are damaged or don't belong together, or the id is not fit
 */
export async function openNodeCertificate(
  context: PkiContext,
  { trustDomain, issuer, anchors }: NodeAuthority,
  nodeId: string,
): Promise<ChainedKey> {
  if (!/^[\w.-]{1,64}$/.test(nodeId)) throw new PkiProblem('The id of this node is not fit.');
  requireRoot(issuer, anchors);
  const { disk, directory, clock, random } = context;
  const certificatePath = join(directory, 'node.pem');
  const name = nodeName(trustDomain, nodeId);
  const key = await openNodeKey(context);
  if (disk.exists(certificatePath)) {
    const pem = readText(disk, certificatePath, 'node.pem');
    const [certificate, ...others] = parseCertificates(pem, 'node.pem');
    requireKeyOf(certificate, key, 'node.pem', 'node.key');
    const chain = chainTo(certificate, others, anchors);
    const isFit =
      certificate.subjectAltName === name &&
      Date.parse(certificate.validTo) - clock.now() >= renewalMs;
    if (chain !== undefined && isFit) return { key, certificate, chain };
  }
  const notBeforeMs = clock.now() - backdatingMs;
  const certificate = issueCertificate(
    {
      commonName: nodeId,
      publicKey: key,
      alternativeNames: [{ type: 'url', value: name.slice('URI:'.length) }],
      notBeforeMs,
      notAfterMs: notBeforeMs + lifetimeMs,
      use: { as: 'end', extendedUsages: ['serverAuth', 'clientAuth'] },
    },
    issuer,
    random,
  );
  const chain = [certificate, ...issuer.chain];
  replaceText(disk, certificatePath, toPem(chain));
  return { key, certificate, chain };
}

/**
 * A TLS server of Node accepts no certificate that leads to a trusted CA below an unknown root: it
 * ignores the option `allowPartialTrustChain`.
 */
function requireRoot(
  { certificate, chain }: ChainedKey,
  anchors: readonly X509Certificate[],
): void {
  const roots = anchors.filter(isRoot);
  if (chainTo(certificate, [...chain, ...anchors], roots) !== undefined) return;
  throw new PkiProblem(
    'pki.ca lacks the root above the issuing CA, by which the nodes of a cluster know each other.',
  );
}

/** The key of this node, from `node.key` of the home, or created. @throws PkiProblem */
export async function openNodeKey({
  disk,
  directory,
  settings,
}: Pick<PkiContext, 'disk' | 'directory' | 'settings'>): Promise<KeyObject> {
  const path = join(directory, 'node.key');
  if (disk.exists(path)) return parsePrivateKey(readText(disk, path, 'node.key'), 'node.key');
  const key = await makeKey(settings.keyType);
  replaceText(disk, path, keyToPem(key));
  return key;
}

/**
 * The only alternative name of a node's certificate, as Node writes it. An id that is fit needs no
 * quotes in it, so a comparison of the whole text cannot be misled by a longer list of names.
 */
export function nodeName(trustDomain: string, nodeId: string): string {
  return `URI:spiffe://${trustDomain}/controller/${nodeId}`;
}

/** The fingerprint by which nodes know each other's keys: SHA-256 of the public key, in hex. */
export function nodeKeyFingerprint(key: KeyObject): string {
  const isPublic = key.type === 'public';
  const der = (isPublic ? key : createPublicKey(key)).export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex');
}

/** The options of a check of the node's certificate. */
export interface NodeRenewalOptions {
  /** The pair in use. */
  readonly pair: ChainedKey;
  /** Opens the pair as a start would now. */
  readonly reopen: () => Promise<ChainedKey>;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows the renewed pair to other nodes; if it throws, the old one stays in use. */
  readonly renewed: (pair: ChainedKey) => void;
}

/** Renews the node's certificate while the process runs. One per clustered controller. */
export class NodeRenewal {
  readonly #options: NodeRenewalOptions;
  #certificate: X509Certificate;
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: NodeRenewalOptions) {
    this.#options = options;
    this.#certificate = options.pair.certificate;
  }

  /** Starts the daily check. */
  start(): void {
    this.#timer = this.#options.clock.after(dayMs, () => {
      this.start();
      void this.check();
    });
  }

  /** Checks now; a failure is logged, and the next check tries again. */
  check(): Promise<void> {
    this.#running = this.#running.then(() => this.#renewIfDue());
    return this.#running;
  }

  /** Ends the checks. Resolves when none is in progress. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#running;
  }

  async #renewIfDue(): Promise<void> {
    const { reopen, renewed, log } = this.#options;
    try {
      const next = await reopen();
      if (next.certificate.fingerprint256 === this.#certificate.fingerprint256) return;
      renewed(next);
      this.#certificate = next.certificate;
      log.info({ fingerprint: fingerprint(next.certificate) }, 'the node certificate was renewed');
    } catch (err) {
      log.error({ err }, 'the node certificate could not be renewed');
    }
  }
}
