// The events of the router data model: one record or relation each, in the form that routers take
// (behaviour/control-channel#router-data-model).

import { edge, encodeMessage } from '../../channel/messages/messages.ts';
import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import {
  neverTimesOut,
  type PostureCheckRecord,
  postureCheckKind,
} from '../../records/posture-check.ts';
import { hexDigits, type Process, type ProcessOfMany } from '../../records/posture-process.ts';
import { type RevocationRecord, revocationKind } from '../../records/revocation.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { RecordBase } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { ModelKind, RelatedKind } from './touches.ts';

/** The records of the model that have events of their own, besides public keys. */
export type EventKind = Exclude<ModelKind, 'ca'>;

/** An encoded event. */
export type ModelEvent = Buffer;

type Properties = edge.Event.$Properties;

const { CREATE, UPDATE, DELETE } = edge.Event.Action;

/** Makes events from the records of a store. */
export class ModelEvents {
  readonly #store: Store;
  /** Encoded events of records, so that the states of many groups share them. */
  #encoded = new WeakMap<RecordBase, ModelEvent>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** A record as it is now; undefined if it does not exist. */
  creation(kind: EventKind, id: string): ModelEvent | undefined {
    const record = this.#store.tableNamed(kind).peek(id)?.record;
    if (record === undefined) return undefined;
    const known = this.#encoded.get(record);
    if (known !== undefined) return known;
    const event = encoded({ action: CREATE, ...this.#shown(kind, id) });
    this.#encoded.set(record, event);
    return event;
  }

  /** An identity that the router knows already: routers tell their clients otherwise. */
  update(identityId: string): ModelEvent | undefined {
    const shown = this.#shown('identity', identityId);
    return shown && encoded({ action: UPDATE, ...shown });
  }

  /** Forgets the encoded events. */
  forget(): void {
    this.#encoded = new WeakMap();
  }

  #shown(kind: EventKind, id: string): Properties | undefined {
    switch (kind) {
      case 'configType': {
        const record = this.#store.table(configTypeKind).peek(id)?.record;
        return record && { configType: { id, name: record.name, target: record.target } };
      }
      case 'config': {
        const record = this.#store.table(configKind).peek(id)?.record;
        if (record === undefined) return undefined;
        const { name, configTypeId: typeId, data } = record;
        return { config: { id, name, typeId, dataJson: JSON.stringify(data) } };
      }
      case 'identity': {
        const record = this.#store.table(identityKind).peek(id)?.record;
        return record && { identity: identityOf(this.#store, record) };
      }
      case 'service': {
        const record = this.#store.table(serviceKind).peek(id)?.record;
        if (record === undefined) return undefined;
        const { name, encryptionRequired, configs = [] } = record;
        return { service: { id, name, encryptionRequired, configs: [...configs] } };
      }
      case 'router': {
        const record = this.#store.table(routerKind).peek(id)?.record;
        if (record === undefined) return undefined;
        const { name, fingerprint = '', disabled, configs = [] } = record;
        return { router: { id, name, fingerprint, disabled, configs: [...configs] } };
      }
      case 'revocation': {
        const record = this.#store.table(revocationKind).peek(id)?.record;
        return record && { revocation: revocationOf(record) };
      }
      case 'postureCheck': {
        const record = this.#store.table(postureCheckKind).peek(id)?.record;
        return record && { postureCheck: checkOf(record) };
      }
      case 'servicePolicy': {
        const record = this.#store.table(servicePolicyKind).peek(id)?.record;
        if (record === undefined) return undefined;
        const { DIAL_POLICY, BIND_POLICY } = edge.PolicyType;
        const policyType = record.type === 'Dial' ? DIAL_POLICY : BIND_POLICY;
        return { servicePolicy: { id, name: record.name, policyType } };
      }
    }
  }
}

function revocationOf({ id, type, expiresAt, issuedBefore }: RevocationRecord) {
  return {
    id,
    type,
    ...(expiresAt === undefined ? {} : { expiresAt: timestampOf(expiresAt) }),
    ...(issuedBefore === undefined ? {} : { issuedBefore: timestampOf(issuedBefore) }),
  };
}

function timestampOf(ms: number): edge.Timestamp.$Properties {
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };
}

/** A record that the router is to forget. */
export function deletion(kind: EventKind, id: string): ModelEvent {
  const event: Properties = { action: DELETE };
  event[kind] = { id };
  return encoded(event);
}

const relatedTypes = {
  identity: edge.RelatedEntityType.RELATED_IDENTITY,
  postureCheck: edge.RelatedEntityType.RELATED_POSTURE_CHECK,
  service: edge.RelatedEntityType.RELATED_SERVICE,
} as const;

/** Relations of a policy that come or go. */
export function relation(
  policyId: string,
  kind: RelatedKind,
  ids: readonly string[],
  add: boolean,
): ModelEvent {
  const relatedEntityType = relatedTypes[kind];
  const relatedEntityIds = [...ids];
  return encoded({
    servicePolicyChange: { policyId, relatedEntityIds, relatedEntityType, add },
  });
}

/** A public key that comes, or goes when it has no data. */
export function publicKeyEvent(publicKey: edge.PublicKey.$Properties): ModelEvent {
  return encoded({ action: publicKey.data === undefined ? DELETE : CREATE, publicKey });
}

/** The body of a change set. */
export function changeSetBody(
  { index, previousIndex }: { readonly index: number; readonly previousIndex: number },
  events: readonly ModelEvent[],
): Buffer {
  const head = encodeMessage(edge.ChangeSet, { index, previousIndex });
  return Buffer.concat([head, ...fieldsOf(changesTag, events)]);
}

/** Events as fields of a full state, which may be joined with others. */
export function stateFields(events: readonly ModelEvent[]): Buffer {
  return Buffer.concat([...fieldsOf(eventsTag, events)]);
}

/** The fields of a full state besides its events. */
export function statePlace(place: {
  readonly endIndex: number;
  readonly timelineId: string;
}): Buffer {
  return encodeMessage(edge.DataState, place);
}

/** The body of a request to check a model against a state. @param parts the fields of the state */
export function validateBody(parts: readonly Buffer[]): Buffer {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([headOf(stateTag, bytes), ...parts]);
}

/** Field 1 of such a request. */
const stateTag = 0x0a;

/** Field 3 of a change set and field 1 of a state, both of them messages. */
const [changesTag, eventsTag] = [0x1a, 0x0a];

function* fieldsOf(tag: number, events: readonly ModelEvent[]): Generator<Buffer> {
  for (const event of events) yield* [headOf(tag, event.length), event];
}

/** The bytes that a field of an event takes. */
export function eventFieldBytes(event: ModelEvent): number {
  return event.length + headOf(0, event.length).length;
}

/** The tag and the length before a message in a field. */
function headOf(tag: number, length: number): Buffer {
  const bytes = [tag];
  let left = length;
  while (left > 0x7f) {
    bytes.push((left & 0x7f) | 0x80);
    left >>>= 7;
  }
  return Buffer.from([...bytes, left]);
}

function encoded(event: Properties): ModelEvent {
  return encodeMessage(edge.Event, event);
}

function identityOf(store: Store, record: IdentityRecord): edge.Identity.$Properties {
  const { DEFAULT, REQUIRED, FAILED } = edge.TerminatorPrecedence;
  const precedences = { default: DEFAULT, required: REQUIRED, failed: FAILED };
  const { id, name, state, appData, defaultHostingCost } = record;
  const configs = store.table(configKind);
  const serviceConfigs: Record<string, { configs: Record<string, string> }> = {};
  for (const { serviceId, configId } of record.serviceConfigs) {
    const type = configs.peek(configId)?.record.configTypeId;
    if (type !== undefined)
      (serviceConfigs[serviceId] ??= { configs: {} }).configs[type] = configId;
  }
  return {
    id,
    name,
    defaultHostingPrecedence: precedences[record.defaultHostingPrecedence],
    defaultHostingCost,
    serviceHostingPrecedences: Object.fromEntries(
      Object.entries(record.serviceHostingPrecedences).map(([service, precedence]) => [
        service,
        precedences[precedence],
      ]),
    ),
    serviceHostingCosts: { ...record.serviceHostingCosts },
    appDataJson: Buffer.from(JSON.stringify(appData)),
    serviceConfigs,
    disabled: state === 'disabled',
  };
}

/**
 * Routers compare the values of checks with those that clients report as they are, so those are
 * given in each spelling that clients use (behaviour/control-channel#router-data-model).
 */
function checkOf(record: PostureCheckRecord): edge.PostureCheck.$Properties {
  const { id, name, typeId } = record;
  const common = { id, name, typeId };
  switch (typeId) {
    case 'MAC':
      return { ...common, mac: { macAddresses: (record.macAddresses ?? []).flatMap(spellings) } };
    case 'MFA':
      return {
        ...common,
        mfa: {
          TimeoutSeconds: record.timeoutSeconds ?? neverTimesOut,
          PromptOnWake: record.promptOnWake ?? false,
          PromptOnUnlock: record.promptOnUnlock ?? false,
          IgnoreLegacyEndpoints: record.ignoreLegacyEndpoints ?? false,
        },
      };
    case 'OS':
      return {
        ...common,
        osList: {
          osList: (record.operatingSystems ?? []).map(({ type, versions }) => {
            const wanted = present(versions);
            return { OsType: type, OsVersions: wanted.length > 0 ? wanted : [anyVersion] };
          }),
        },
      };
    case 'PROCESS':
      return record.process === undefined
        ? common
        : { ...common, process: processOf(record.process) };
    case 'PROCESS_MULTI':
      return {
        ...common,
        processMulti: {
          semantic: record.semantic ?? 'AllOf',
          processes: (record.processes ?? []).map(processOf),
        },
      };
    case 'DOMAIN':
      return { ...common, domains: { domains: present(record.domains ?? []) } };
    default:
      return common;
  }
}

/** Without versions, an operating system of any version passes. */
const anyVersion = '>=0.0.0';

function present(texts: readonly string[]): string[] {
  return texts.filter((text) => text.trim() !== '');
}

/** A MAC address, which is stored as bare digits, also with colons and with hyphens. */
function spellings(digits: string): string[] {
  if (digits === '') return [];
  const pairs = digits.match(/.{1,2}/g) ?? [];
  return [digits, pairs.join(':'), pairs.join('-')];
}

function processOf(process: Process | ProcessOfMany): edge.Process.$Properties {
  const { osType, path, hashes = [] } = process;
  const signers =
    'signerFingerprints' in process
      ? (process.signerFingerprints ?? [])
      : [(process as Process).signerFingerprint ?? ''];
  return {
    OsType: osType,
    Path: path,
    Hashes: inBothForms(hashes),
    Fingerprints: inBothForms(signers),
  };
}

/** Hexadecimal texts as they were set, and as bare digits in lower case. */
function inBothForms(texts: readonly string[]): string[] {
  return present([...new Set(texts.flatMap((text) => [text, hexDigits(text)]))]);
}
