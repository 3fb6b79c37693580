// What routers tell of themselves and of the clients that are connected to them
// (behaviour/control-channel#presence).

import type { RouterInterface } from '../../machines/router-presence.ts';
import { type Frame, MalformedMessage, type MessageSteps } from '../channel/channel-api.ts';
import { contentTypes } from '../channel/content-types.ts';
import { decodeParts, edge, encodeMessage, fabric } from '../channel/messages/messages.ts';
import type { EventFields } from '../observe/events.ts';
import { identityKind } from '../records/identity.ts';
import { routerKind } from '../records/router.ts';
import type { RoutersContext } from './context.ts';
import type { PresenceEvents } from './presence-events.ts';
import type { ConnectedRouter, MessageHandler, RouterFeature } from './router-feature.ts';

/** Bounds of what a router reports. */
export const reportBounds = {
  /** Network cards of a router; a host of containers has hundreds. @bound per entity */
  interfacesMax: 256,
  /** Addresses of a network card. @bound per entity */
  interfaceAddressesMax: 64,
  /** Characters of a name or an address of a network card. @bound per entity */
  interfaceCharactersMax: 200,
  /** Alerts of a router that are logged per minute; the others are dropped. @bound per entity */
  alertsPerMinuteMax: 10,
  /** Characters of an alert that are logged. @bound per entity */
  alertCharactersMax: 500,
  /** Details and related entities of an alert that events show. @bound per entity */
  alertDetailsMax: 16,
  /** Characters of an address of a client that events show. @bound per entity */
  clientAddressCharactersMax: 200,
};

/** What reports go to. */
export interface ReportsOptions extends RoutersContext {
  readonly presence: PresenceEvents;
}

/** Takes the reports of all routers. */
export function createRouterReports(options: ReportsOptions): RouterFeature {
  const { env } = options;
  const alerts = new Alerts(options);
  env.store.follow(({ changes }) => {
    if (env.identityConnections.size === 0) return;
    for (const { table, row, after } of changes) {
      if (table.kind === 'router' && after === undefined) env.identityConnections.forget(row.id);
    }
  });
  return {
    handlers: new Map<number, MessageHandler>([
      [contentTypes.routerInterfaces, (router, frame) => takeInterfaces(options, router, frame)],
      [contentTypes.connectEvents, (router, frame) => takeConnections(options, router, frame)],
      [contentTypes.alerts, (router, frame) => alerts.take(router, frame)],
      [contentTypes.inspectRequest, ({ channel }, frame) => channel.reply(frame, nothingToInspect)],
    ]),
    connected: ({ id }) => env.identityConnections.setConnected(id, true),
    disconnected(router) {
      env.identityConnections.setConnected(router.id, false);
      alerts.forget(router);
    },
  };
}

const nothingToInspect = {
  contentType: contentTypes.inspectResponse,
  body: encodeMessage(fabric.InspectResponse, { success: true }),
};

function* takeInterfaces(
  { presence }: ReportsOptions,
  router: ConnectedRouter,
  frame: Frame,
): MessageSteps {
  const shown: RouterInterface[] = [];
  for (const { interfaces } of decodeParts(fabric.RouterInterfacesUpdate, frame.body)) {
    if (shown.length + interfaces.length > reportBounds.interfacesMax) {
      throw new MalformedMessage('there are too many interfaces');
    }
    shown.push(...interfaces.map(shownInterface));
    yield;
  }
  presence.report(router, shown);
  router.channel.replyResult(frame, true);
}

/** Bits of the flags of an interface. */
const interfaceFlags = { up: 1, broadcast: 2, loopback: 4, multicast: 16, running: 32 };

function shownInterface(card: fabric.Interface.$Properties): RouterInterface {
  const { interfaceAddressesMax, interfaceCharactersMax } = reportBounds;
  const { mtu, index, flags } = card;
  const name = card.name ?? '';
  const hardwareAddress = card.hardwareAddress ?? '';
  const shown = card.addresses ?? [];
  const texts = [name, hardwareAddress, ...shown];
  if (shown.length > interfaceAddressesMax) throw new MalformedMessage('too many addresses');
  if (texts.some(({ length }) => length > interfaceCharactersMax)) {
    throw new MalformedMessage('a name or an address of an interface is too long');
  }
  const has = (flag: number) => (Number(flags ?? 0) & flag) !== 0;
  return {
    name,
    hardwareAddress,
    mtu: Math.max(0, Number(mtu ?? 0)),
    index: Math.max(0, Number(index ?? 0)),
    isBroadcast: has(interfaceFlags.broadcast),
    isLoopback: has(interfaceFlags.loopback),
    isMulticast: has(interfaceFlags.multicast),
    isRunning: has(interfaceFlags.running),
    isUp: has(interfaceFlags.up),
    addresses: shown,
  };
}

/** Only identities that may use the router are noted: it cannot speak for any others. */
function* takeConnections(
  { env }: ReportsOptions,
  { id }: ConnectedRouter,
  { body }: Frame,
): MessageSteps {
  const { identityConnections: connections, store, events: told } = env;
  const identities = store.table(identityKind);
  const changes = new Map<string, boolean>();
  let isFullState = false;
  for (const { events, fullState } of decodeParts(edge.ConnectEvents, body)) {
    const router = store.table(routerKind).peek(id);
    isFullState ||= fullState;
    for (const { identityId, isConnected, connectTimes } of events) {
      const key = identityId ?? '';
      const identity = identities.peek(key);
      const mayUse =
        identity !== undefined &&
        router !== undefined &&
        env.access.routers.isLinked('identity', identity.slot, router.slot);
      const isNews = isConnected ? mayUse : changes.has(key) || connections.isReported(id, key);
      if (isNews) changes.set(key, isConnected === true);
      if (isConnected && mayUse && told.wants('connect')) {
        for (const details of connectTimes ?? []) {
          told.tell('connect', connectFields(key, id, details));
        }
      }
    }
    yield;
  }
  yield* connections.report(id, changes, isFullState);
}

/** A client that has connected to a router, as an event. */
function connectFields(
  identityId: string,
  routerId: string,
  { srcAddr, dstAddr }: edge.ConnectDetails.$Properties,
): EventFields {
  const { clientAddressCharactersMax } = reportBounds;
  return {
    src_type: 'identity',
    src_id: identityId,
    src_addr: srcAddr?.slice(0, clientAddressCharactersMax) ?? '',
    dst_type: 'router',
    dst_id: routerId,
    dst_addr: dstAddr?.slice(0, clientAddressCharactersMax) ?? '',
  };
}

/** An alert as an event; the router speaks for itself alone. */
function alertFields(routerId: string, alert: fabric.Alert.$Properties): EventFields {
  const { alertCharactersMax, alertDetailsMax } = reportBounds;
  const short = (text: string | null | undefined) => text?.slice(0, alertCharactersMax) ?? '';
  const related = Object.entries(alert.relatedEntities ?? {}).slice(0, alertDetailsMax);
  return {
    alert_source_type: short(alert.sourceType) || 'router',
    alert_source_id: routerId,
    severity: short(alert.severity),
    message: short(alert.message),
    details: (alert.details ?? []).slice(0, alertDetailsMax).map(short),
    related_entities: Object.fromEntries(related.map(([name, id]) => [short(name), short(id)])),
  };
}

/** Logs alerts, some per router. */
class Alerts {
  readonly #options: ReportsOptions;
  /** How many were logged in the minute that began then, monotonic ms. */
  readonly #logged = new Map<ConnectedRouter, { readonly sinceMs: number; count: number }>();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  *take(router: ConnectedRouter, { body }: Frame): MessageSteps {
    const { log, env } = this.#options;
    const { alertsPerMinuteMax, alertCharactersMax } = reportBounds;
    const nowMs = env.clock.monotonic();
    let logged = this.#logged.get(router);
    if (logged === undefined || nowMs - logged.sinceMs >= 60_000) {
      this.#logged.set(router, (logged = { sinceMs: nowMs, count: 0 }));
    }
    for (const { alerts } of decodeParts(fabric.Alerts, body)) {
      for (const alert of alerts) {
        if (logged.count >= alertsPerMinuteMax) return;
        logged.count += 1;
        const { severity, message, sourceType } = alert;
        if (env.events.wants('alert')) env.events.tell('alert', alertFields(router.id, alert));
        const short = (text: string | null | undefined) => text?.slice(0, alertCharactersMax) ?? '';
        const told = {
          severity: short(severity),
          source: short(sourceType),
          alert: short(message),
        };
        log.warn({ routerId: router.id, ...told }, 'a router has sent an alert');
      }
      yield;
    }
  }

  forget(router: ConnectedRouter): void {
    this.#logged.delete(router);
  }
}
