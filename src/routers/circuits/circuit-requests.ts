// The requests by which routers ask for circuits, and their answers
// (behaviour/control-channel#circuits).

import type { CircuitRight } from '../../../machines/circuit.ts';
import { type Frame, type Headers, MalformedMessage } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import {
  bytesMapValue,
  encodeHeaders,
  textMapValue,
  textValue,
  uint32Value,
} from '../../channel/headers.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { serviceKind } from '../../records/service.ts';
import type { RoutersEnvironment } from '../context.ts';
import {
  type ConnectedRouter,
  type MessageHandler,
  type RouterRefusal,
  RouterRequestRefused,
  type SessionChecks,
} from '../router-feature.ts';
import { type CircuitAnswer, type CircuitRequest, tagsOf } from './circuit-builds.ts';
import { type PeerData, peerDataField, peerDataOf, peerDataOfHeader } from './peer-data.ts';

/** Keys of headers of requests and answers. */
const keys = {
  peerData: 10,
  sessionToken: 11,
  instanceId: 13,
  apiSessionToken: 14,
  identityId: 15,
  serviceId: 16,
  circuitId: 11,
  address: 12,
  tags: 13,
  retryHint: 18,
  errorCode: 1014,
  errorCircuitId: 1026,
  fabricAddress: 1100,
} as const;

/** Bytes of a token, an id or a name in a request. @bound per request */
const textBytesMax = 8192;
/** Bytes of an address that a router has chosen for its end. @bound per request */
const endAddressBytesMax = 200;

/** What the requests are handled with. */
export interface CircuitRequestsOptions {
  readonly env: RoutersEnvironment;
  readonly checks: SessionChecks;
  readonly begin: (request: CircuitRequest) => void;
}

/** The handlers of all requests for circuits, by content type. */
export function circuitRequestHandlers(
  options: CircuitRequestsOptions,
): [number, MessageHandler][] {
  return [
    [contentTypes.createCircuitV3, (router, frame) => createV3(options, router, frame)],
    [contentTypes.createCircuitV2, (router, frame) => createV2(options, router, frame)],
    [contentTypes.createCircuit, (router, frame) => create(options, router, frame)],
    [contentTypes.createTunnelCircuitV2, (router, frame) => createTunnel(options, router, frame)],
    [contentTypes.circuitRequest, (router, frame) => createFabric(options, router, frame)],
  ];
}

type Asked = Omit<CircuitRequest, 'router' | 'right'>;

/** The form with all data in headers. */
function createV2(options: CircuitRequestsOptions, router: ConnectedRouter, frame: Frame): void {
  const { headers } = frame;
  const tokens = {
    sessionToken: textOf(headers, keys.sessionToken),
    apiSessionToken: textOf(headers, keys.apiSessionToken),
  };
  dialWithSession(options, router, tokens, {
    instanceId: textOf(headers, keys.instanceId),
    peerData: peerDataOfHeader(headers, keys.peerData),
    answer: answerByHeaders(router, frame, contentTypes.createCircuitV2Response),
  });
}

/** The form for clients with JWTs, which have no session. */
function createV3(options: CircuitRequestsOptions, router: ConnectedRouter, frame: Frame): void {
  const { headers } = frame;
  const wanted = {
    apiSessionToken: textOf(headers, keys.apiSessionToken),
    identityId: textOf(headers, keys.identityId),
    serviceId: textOf(headers, keys.serviceId),
  };
  const asked = {
    router,
    instanceId: textOf(headers, keys.instanceId),
    peerData: peerDataOfHeader(headers, keys.peerData),
    answer: answerByHeaders(router, frame, contentTypes.createCircuitV3Response),
  };
  dial(options, asked, () => {
    const { apiSession, identity, service } = options.checks.checkDial(router, wanted);
    return {
      sessionId: undefined,
      apiSessionId: apiSession.id,
      identityId: identity.id,
      serviceId: service.id,
    };
  });
}

/** The form of older routers. */
function create(options: CircuitRequestsOptions, router: ConnectedRouter, frame: Frame): void {
  const message = decodeMessage(edge.CreateCircuitRequest, frame.body);
  const tokens = {
    sessionToken: bounded(message.sessionToken),
    apiSessionToken: bounded(message.apiSessionToken),
  };
  dialWithSession(options, router, tokens, {
    instanceId: bounded(message.terminatorInstanceId),
    peerData: peerDataOf(message.peerData),
    answer: answerOf(router, frame, contentTypes.createCircuitResponse),
  });
}

/** A tunneler router dials for the hosts of its network. */
function createTunnel(
  options: CircuitRequestsOptions,
  router: ConnectedRouter,
  frame: Frame,
): void {
  const message = decodeMessage(edge.CreateTunnelCircuitV2Request, frame.body);
  const service = serviceByName(options.env, bounded(message.serviceName));
  dialAsTunneler(options, router, service, {
    instanceId: bounded(message.terminatorInstanceId),
    peerData: peerDataOf(message.peerData),
    answer: answerOf(router, frame, contentTypes.createTunnelCircuitV2Response),
  });
}

/** A router dials for itself; it needs the right of a tunneler, as nothing is given without one. */
function createFabric(
  options: CircuitRequestsOptions,
  router: ConnectedRouter,
  frame: Frame,
): void {
  const message = decodeMessage(fabric.CircuitRequest, frame.body);
  const { ingressId } = message;
  if (ingressId === '' || ingressId.length > endAddressBytesMax) {
    throw new MalformedMessage('a circuit without an address of its own end');
  }
  const { service, instanceId } = wantedService(options.env, bounded(message.service));
  const peerData = peerDataOf(message.peerData);
  const answer = fabricAnswer(router, frame);
  dialAsTunneler(options, router, service, { instanceId, peerData, ingressId, answer });
}

function dialWithSession(
  options: CircuitRequestsOptions,
  router: ConnectedRouter,
  tokens: { readonly apiSessionToken: string; readonly sessionToken: string },
  asked: Asked,
): void {
  dial(options, { ...asked, router }, () => {
    const checked = options.checks.check(router, { ...tokens, type: 'Dial' });
    const { session, apiSession, identity, service } = checked;
    return {
      sessionId: session.id,
      apiSessionId: apiSession.id,
      identityId: identity.id,
      serviceId: service.id,
    };
  });
}

function dialAsTunneler(
  options: CircuitRequestsOptions,
  router: ConnectedRouter,
  service: ReturnType<typeof serviceByName>,
  asked: Asked,
): void {
  const right: CircuitRight = {
    sessionId: undefined,
    apiSessionId: undefined,
    identityId: router.id,
    serviceId: service?.id ?? '',
  };
  dial(options, { ...asked, router }, () => {
    try {
      options.checks.checkTunneler(router, { service, type: 'Dial' });
    } catch (error) {
      if (!(error instanceof RouterRequestRefused)) throw error;
      throw new RouterRequestRefused(error.refusal, right);
    }
    return right;
  });
}

/** Begins a circuit by the right that `check` finds. A refusal is noted and becomes the answer. */
function dial(
  { env, begin }: CircuitRequestsOptions,
  asked: Omit<CircuitRequest, 'right'>,
  check: () => CircuitRight,
): void {
  try {
    const right = check();
    const answer: CircuitAnswer = {
      created: asked.answer.created,
      refused(refusal, circuit) {
        env.failedDials.note({ ...asked, right }, refusal, circuit);
        asked.answer.refused(refusal, circuit);
      },
    };
    begin({ ...asked, right, answer });
  } catch (error) {
    if (!(error instanceof RouterRequestRefused)) throw error;
    const { refusal, wanted: right } = error;
    if (right !== undefined) env.failedDials.note({ ...asked, right }, refusal);
    asked.answer.refused(refusal);
  }
}

function serviceByName({ store }: RoutersEnvironment, name: string) {
  return store.table(serviceKind).findBy('name', name);
}

/**
 * Names the service by id or name. An instance id may stand before it, up to the first `@`; a name
 * with an `@` of its own is found, too.
 */
function wantedService(env: RoutersEnvironment, text: string) {
  const at = text.indexOf('@');
  const id = text.slice(at + 1);
  const services = env.store.table(serviceKind);
  const found = services.find(id);
  if (found !== undefined) return { service: found, instanceId: text.slice(0, Math.max(at, 0)) };
  return { service: serviceByName(env, text), instanceId: '' };
}

function answerByHeaders(router: ConnectedRouter, to: Frame, contentType: number): CircuitAnswer {
  return {
    created(circuit, peerData) {
      const headers = encodeHeaders([
        [keys.circuitId, textValue(circuit.id)],
        [keys.address, textValue(circuit.ingressId)],
        [keys.peerData, bytesMapValue(peerData)],
        [keys.tags, textMapValue(new Map(Object.entries(tagsOf(circuit))))],
      ]);
      router.channel.reply(to, { contentType, headers });
    },
    refused: (refusal, circuit) => refuse(router, to, refusal, circuit?.id),
  };
}

/** The answer as a protobuf, which is the same for two requests. */
function answerOf(router: ConnectedRouter, to: Frame, contentType: number): CircuitAnswer {
  return {
    created(circuit, data) {
      const message = {
        circuitId: circuit.id,
        address: circuit.ingressId,
        peerData: peerDataField(data),
        tags: tagsOf(circuit),
      };
      const body = encodeMessage(edge.CreateCircuitResponse, message);
      router.channel.reply(to, { contentType, body });
    },
    refused: (refusal, circuit) => refuse(router, to, refusal, circuit?.id),
  };
}

function fabricAnswer(router: ConnectedRouter, to: Frame): CircuitAnswer {
  return {
    created({ id, ingressId }, peerData: PeerData) {
      const headers = new Map(peerData).set(keys.fabricAddress, textValue(ingressId));
      router.channel.reply(to, {
        contentType: contentTypes.circuitSuccess,
        headers: encodeHeaders(headers),
        body: textValue(id),
      });
    },
    refused({ text }) {
      router.channel.reply(to, { contentType: contentTypes.circuitFailed, body: textValue(text) });
    },
  };
}

function refuse(
  router: ConnectedRouter,
  to: Frame,
  { code, retryHint, text }: RouterRefusal,
  circuitId: string | undefined,
): void {
  const headers: [number, Buffer][] = [
    [keys.errorCode, uint32Value(code)],
    [keys.retryHint, uint32Value(retryHint)],
  ];
  if (circuitId !== undefined) headers.push([keys.errorCircuitId, textValue(circuitId)]);
  router.channel.reply(to, {
    contentType: contentTypes.error,
    headers: encodeHeaders(headers),
    body: textValue(text),
  });
}

function textOf(headers: Headers, key: number): string {
  const value = headers.get(key);
  if (value === undefined) return '';
  if (value.length > textBytesMax) throw new MalformedMessage(`header ${key} is too long`);
  return value.toString('utf8');
}

function bounded(text: string): string {
  if (text.length > textBytesMax) throw new MalformedMessage('a text is too long');
  return text;
}
