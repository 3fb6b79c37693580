// Routers renew their certificates over the control channel
// (behaviour/control-channel#router-certificates).

import type { Frame } from '../channel/channel-api.ts';
import { contentTypes } from '../channel/content-types.ts';
import { decodeMessage, edge, encodeMessage } from '../channel/messages/messages.ts';
import { ApiError } from '../errors/errors.ts';
import { readCertificates } from '../pki/x509/certificate-text.ts';
import { fingerprint } from '../pki/x509/pem.ts';
import { type RouterRecord, routerKind } from '../records/router.ts';
import type { Row } from '../store/record.ts';
import { type BucketSize, TokenBuckets } from '../turns/token-buckets.ts';
import type { RoutersContext } from './context.ts';
import { type IssuedPair, issueRouterCertificates } from './issued-certificates.ts';
import type { ConnectedRouter, RouterFeature } from './router-feature.ts';

/** Creates the feature. */
export function createRouterCertificates(context: RoutersContext): RouterFeature {
  const certificates = new RouterCertificates(context);
  return {
    handlers: new Map([
      [contentTypes.extendEnrollment, (router, frame) => certificates.extend(router, frame)],
      [contentTypes.extendEnrollmentVerify, (router, frame) => certificates.verify(router, frame)],
    ]),
  };
}

/** Why a confirmation is refused, in the terms of the protocol. */
const refusals = {
  MISSING_CLIENT_PEM: 'the message holds no certificate',
  ROUTER_NOT_FOUND: 'the router does not exist any more',
  INVALID_ROUTER_STATE: 'no certificate waits to be confirmed',
  INVALID_CLIENT_PEM: 'it is not the certificate that was issued last',
} as const;

class RouterCertificates {
  readonly #context: RoutersContext;
  readonly #extensions = new TokenBuckets(extensionRate);

  constructor(context: RoutersContext) {
    this.#context = context;
  }

  /** Issues two certificates; a request that is refused has no answer. @throws MalformedMessage */
  extend(router: ConnectedRouter, frame: Frame): void {
    const asked = decodeMessage(edge.EnrollmentExtendRouterRequest, frame.body);
    const { env, durable, log } = this.#context;
    const row = this.#rowOf(router);
    if (row === undefined) return;
    if (this.#extensions.take(row.slot, env.clock.monotonic()) > 0) {
      log.warn({ router: router.id }, 'a router asks too often for new certificates');
      return;
    }
    try {
      const issued = issueRouterCertificates(env, router.id, {
        client: { field: 'clientCertCsr', csr: asked.clientCertCsr },
        server: { field: 'serverCertCsr', csr: asked.serverCertCsr },
      });
      this.#keep(row, issued, asked.requireVerification);
      const message = { contentType: contentTypes.enrollmentCerts, body: answerOf(issued) };
      // A message of its own: routers handle it by its type.
      durable.when(env.store.fence.lsn, () => router.channel.send(message));
    } catch (err) {
      if (!(err instanceof ApiError)) throw err;
      log.warn({ err, router: router.id }, 'a router was not given new certificates');
    }
  }

  /** Lets the new certificate count, and the old one no more. @throws MalformedMessage */
  verify(router: ConnectedRouter, frame: Frame): void {
    const { clientCertPem } = decodeMessage(edge.EnrollmentExtendRouterVerifyRequest, frame.body);
    const { env, durable } = this.#context;
    const code = this.#confirm(router, clientCertPem);
    const error = code === undefined ? {} : { code, message: refusals[code] };
    const message = { contentType: contentTypes.error, body: encodeMessage(edge.Error, error) };
    durable.when(env.store.fence.lsn, () => router.channel.reply(frame, message));
  }

  /** @returns why it is refused; undefined when it is not */
  #confirm(router: ConnectedRouter, clientCertPem: string): keyof typeof refusals | undefined {
    if (clientCertPem === '') return 'MISSING_CLIENT_PEM';
    const row = this.#rowOf(router);
    if (row === undefined) return 'ROUTER_NOT_FOUND';
    const read = readCertificates(clientCertPem);
    const confirmed = 'unreadable' in read ? undefined : fingerprint(read.certificates[0]);
    // A router that has missed the answer asks again.
    if (confirmed !== undefined && confirmed === row.record.fingerprint) return undefined;
    if (row.record.unverifiedFingerprint === undefined) return 'INVALID_ROUTER_STATE';
    if (confirmed !== row.record.unverifiedFingerprint) return 'INVALID_CLIENT_PEM';
    const { env } = this.#context;
    env.store.transact(causeOf(row, 'extendVerifyRouterEnrollment'), (tx) => {
      const event = { type: 'extendVerify', now: tx.now, fingerprint: confirmed };
      env.send(tx, routerKind.kind, row.id, event);
    });
    return undefined;
  }

  #keep(row: Row<RouterRecord>, { client }: IssuedPair, requireVerification: boolean): void {
    const { env } = this.#context;
    env.store.transact(causeOf(row, 'extendRouterEnrollment'), (tx) => {
      const event = {
        type: requireVerification ? 'extendUnverified' : 'extend',
        now: tx.now,
        // The channel was opened by it, and is closed when it does not count any more.
        presentedFingerprint: row.record.fingerprint ?? '',
        certPem: client.chainPem,
        fingerprint: client.fingerprint,
      };
      env.send(tx, routerKind.kind, row.id, event);
    });
  }

  #rowOf({ id }: ConnectedRouter): Row<RouterRecord> | undefined {
    return this.#context.env.store.table(routerKind).find(id);
  }
}

function causeOf({ id }: Row, operation: string) {
  return { actor: id, requestId: '', operation };
}

function answerOf({ client, server }: IssuedPair): Buffer {
  const certs = { clientCertPem: client.chainPem, serverCertPem: server.chainPem };
  return encodeMessage(edge.EnrollmentCertsResponse, certs);
}

/** Requests of one router at once. It sends one per renewal, and some more after failures. */
const extensionRate: BucketSize = { perSecond: 1 / 360, burst: 5 };
