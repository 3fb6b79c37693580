// Decides whether a router that has said hello may connect
// (behaviour/control-channel#presence).

import { hash } from 'node:crypto';
import { type RouterRecord, routerKind } from '../records/router.ts';
import type { Row } from '../store/record.ts';
import type { RoutersEnvironment } from './context.ts';

/** The one sentence for all who have not proven to be a router: it says nothing of any id. */
const notOfThisNetwork =
  'This network has no router with this id and this certificate: the router was deleted, has to ' +
  'enroll, was enrolled or renewed since, or belongs to another network.';

/** Why a hello is refused, and the sentence for the log of the router. */
export const refusalTexts = {
  noCertificate: 'The router shows no certificate.',
  unknownRouter: notOfThisNetwork,
  notEnrolled: notOfThisNetwork,
  otherCertificate: notOfThisNetwork,
  foreignCertificate: 'The certificate was not issued by this network.',
  disabled: 'The router is disabled.',
  tooOften: 'The router connects too often; perhaps two routers use the same certificate.',
  notDurable: 'A change of the router is being stored; try again.',
  stopping: 'The controller is stopping.',
} as const;

/** The name of a reason, as metrics and log lines have it. */
export type HelloRefusal = keyof typeof refusalTexts;

/** The facts that the check of a hello uses. */
export interface HelloFacts {
  readonly routerId: string;
  /** In DER, the leaf first. TLS has proven that the router has the key of the leaf. */
  readonly certificates: readonly Buffer[];
}

/** The router that a hello comes from, or why it may not connect. */
export function routerOfHello(
  { store, clientChains }: Pick<RoutersEnvironment, 'store' | 'clientChains'>,
  { routerId, certificates }: HelloFacts,
): Row<RouterRecord> | HelloRefusal {
  const [leaf] = certificates;
  if (leaf === undefined) return 'noCertificate';
  // Cheap, and fails for all strangers: they cannot make us verify signatures. The hash is made
  // before the router is looked for, as strangers must not learn from the time which ids exist.
  const shown = hash('sha1', leaf);
  const row = store.table(routerKind).find(routerId);
  if (row?.record.fingerprint !== shown) {
    if (row === undefined) return 'unknownRouter';
    return row.record.fingerprint === undefined ? 'notEnrolled' : 'otherCertificate';
  }
  const { certPem, disabled } = row.record;
  // Dates do not count: a router that was away for long renews its certificate over the channel.
  // The certificate that the controller issued and stored needs no verdict, which would take a
  // sixth of what a router of a returning fleet costs.
  if (!isLeafOf(leaf, certPem) && clientChains.evaluate(certificates)?.issuingCa?.by !== 'own') {
    return 'foreignCertificate';
  }
  return disabled ? 'disabled' : row;
}

/** Whether a certificate in DER is the first of a chain in PEM. */
function isLeafOf(leaf: Buffer, chainPem: string | undefined): boolean {
  const first = chainPem?.match(/-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/)?.[1];
  return first !== undefined && Buffer.from(first, 'base64').equals(leaf);
}
