// The hello of a router, and what it is answered (behaviour/control-channel#frames-and-channels).

import type { Random } from '../platform/ports.ts';
import { type Frame, type Headers, MalformedMessage } from './channel-api.ts';
import { contentTypes } from './content-types.ts';
import { encodeFrame } from './frame.ts';
import {
  booleanHeader,
  booleanValue,
  capabilitiesHeader,
  capabilitiesValue,
  encodeHeaders,
  headerKeys,
  helloHeaderKeys,
  textHeader,
  textValue,
  uint32Value,
  type VersionInfo,
  versionHeader,
  versionValue,
} from './headers.ts';
import { decodeMessage, fabric } from './messages/messages.ts';

/** What a router says of itself in its hello. None of it is proven but the key of its leaf. */
export interface Hello {
  readonly routerId: string;
  readonly version: VersionInfo;
  /** Numbers of bits, e.g. 62 of a router that takes the router data model. */
  readonly capabilities: ReadonlySet<number>;
  /** Where it accepts links; empty when it does not. */
  readonly linkListeners: readonly fabric.LinkListener.$Properties[];
  /** Where it accepts connections of controllers. */
  readonly ctrlListeners: readonly fabric.CtrlChanListener.$Properties[];
  /** How it wants to group its connections; undefined for a router of the 1.x line. */
  readonly group: HelloGroup | undefined;
}

/** What a hello says of the group of connections that it begins. */
export interface HelloGroup {
  readonly connectionType: string;
  /** That of the group which the router had before; undefined at its first hello. */
  readonly secret: Buffer | undefined;
}

/** What the controller says of itself in its answer. */
export interface ResultIdentity {
  readonly controllerId: string;
  readonly version: VersionInfo;
}

/** The bits of what the controller can do, by name. */
const capabilityBits = {
  createTerminatorV2: 1,
  singleLinkSource: 2,
  createCircuitV2: 3,
  routerDataModel: 4,
  // 5 would be several connections per group: without it a router stays with one.
  jwtServiceSessions: 6,
};

/** Keys of headers that routers of the 1.x line use where later ones have those of groups. */
const previousKeys = { listeners: 10, capabilities: 12 };

/**
 * What a first frame says.
 * @throws MalformedMessage when it is no hello, or a connection is to join another's group
 */
export function parseHello({ contentType, headers, body }: Frame): Hello {
  if (contentType !== contentTypes.hello) throw new MalformedMessage('the first frame is no hello');
  if (body.length === 0 || body.length > routerIdBytesMax) {
    throw new MalformedMessage('the hello has no id of a router');
  }
  const version = versionHeader(headers, headerKeys.versionInfo);
  if (version === undefined) throw new MalformedMessage('the hello has no version');
  const isGrouped = booleanHeader(headers, headerKeys.isGrouped);
  const key = isGrouped ? undefined : previousKeys;
  const ctrlListeners = headers.get(helloHeaderKeys.ctrlListeners);
  const listeners = headers.get(helloHeaderKeys.listeners) ?? (key && headers.get(key.listeners));
  const capabilities =
    key && !headers.has(helloHeaderKeys.capabilities)
      ? key.capabilities
      : helloHeaderKeys.capabilities;
  return {
    routerId: body.toString('utf8'),
    version,
    capabilities: capabilitiesHeader(headers, capabilities),
    linkListeners: few(listeners && decodeMessage(fabric.Listeners, listeners).listeners),
    ctrlListeners: few(
      ctrlListeners && decodeMessage(fabric.CtrlChanListeners, ctrlListeners).listeners,
    ),
    group: isGrouped ? groupOf(headers) : undefined,
  };
}

function groupOf(headers: Headers): HelloGroup {
  // No group has a second connection, as that is not announced to routers.
  if (!booleanHeader(headers, headerKeys.isFirstOfGroup)) {
    throw new MalformedMessage('the hello is of a group that is not known');
  }
  const connectionType = textHeader(headers, headerKeys.connectionType) ?? '';
  const secret = headers.get(headerKeys.groupSecret);
  if (connectionType.length > connectionTypeCharactersMax) {
    throw new MalformedMessage('the connection type of the hello is too long');
  }
  if (secret !== undefined && secret.length > groupSecretBytesMax) {
    throw new MalformedMessage('the group secret of the hello is too long');
  }
  return { connectionType, secret: secret === undefined ? undefined : Buffer.from(secret) };
}

function few<T>(listeners: readonly T[] | undefined): readonly T[] {
  if (listeners === undefined) return [];
  if (listeners.length > helloListenersMax) {
    throw new MalformedMessage('the hello has too many listeners');
  }
  return listeners;
}

/**
 * The answer to a hello that is accepted. A router that comes back with the secret of its group is
 * sent the same; another one makes it refuse the connection.
 */
export function encodeAcceptance(hello: Hello, own: ResultIdentity, random: Random): Buffer {
  const { group } = hello;
  const capabilities = capabilitiesValue(Object.values(capabilityBits));
  const entries: (readonly [number, Buffer])[] = [
    [headerKeys.connectionId, textValue(random.bytes(connectionIdBytes).toString('base64url'))],
    ...resultHeaders(true),
    [headerKeys.versionInfo, versionValue(own.version)],
  ];
  if (group !== undefined)
    entries.push([headerKeys.connectionType, textValue(group.connectionType)]);
  entries.push([headerKeys.id, textValue(own.controllerId)]);
  if (group === undefined) {
    entries.push([previousKeys.capabilities, capabilities]);
  } else {
    const secret = group.secret?.length ? group.secret : random.bytes(groupSecretBytes);
    entries.push([headerKeys.isGrouped, booleanValue(true)], [headerKeys.groupSecret, secret]);
  }
  entries.push([helloHeaderKeys.capabilities, capabilities]);
  return resultFrame(entries);
}

/** What kind of refusal it is, in the terms of the protocol. */
export const rejectionClasses = { unspecified: 0, busy: 1, notPermitted: 2 } as const;

/** A kind of refusal. */
export type RejectionClass = (typeof rejectionClasses)[keyof typeof rejectionClasses];

/** The answer to a hello that is refused. The text appears in the log of the router. */
export function encodeRefusal(text: string, rejectionClass: RejectionClass): Buffer {
  const entries = [
    ...resultHeaders(false),
    [headerKeys.rejectionClass, uint32Value(rejectionClass)] as const,
  ];
  return resultFrame(entries, textValue(text));
}

function resultHeaders(isSuccess: boolean): (readonly [number, Buffer])[] {
  const replyFor = Buffer.alloc(4);
  replyFor.writeInt32LE(helloSequence);
  return [
    [headerKeys.replyFor, replyFor],
    [headerKeys.resultSuccess, booleanValue(isSuccess)],
  ];
}

function resultFrame(entries: Iterable<readonly [number, Buffer]>, body?: Buffer): Buffer {
  const chunks: Buffer[] = [];
  const headers = encodeHeaders(entries);
  encodeFrame({ contentType: contentTypes.result, sequence: helloSequence, headers, body }, chunks);
  return Buffer.concat(chunks);
}

/** The sequence of a hello and of its result. */
const helloSequence = -1;
/** 12 bytes are unique among all connections of a controller, and 16 characters of base64url. */
const connectionIdBytes = 12;
const groupSecretBytes = 16;

/** Bytes of an id in a hello; ids of routers have 36 at most. @bound per connection */
const routerIdBytesMax = 64;

/** Characters of a connection type, which is echoed; the longest has 12. @bound per connection */
const connectionTypeCharactersMax = 64;

/** Bytes of a group secret, which is echoed; routers have 16. @bound per connection */
const groupSecretBytesMax = 64;

/** Listeners of either kind in a hello; routers have one or two. @bound per connection */
const helloListenersMax = 64;
