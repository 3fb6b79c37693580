// Simulated routers that have enrolled with a real controller and dial its control port over TLS.

import { createSecureContext, connect as dial, type SecureContext } from 'node:tls';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { makeKeptRequest } from '../../simulated/certificates.ts';
import { RouterTwin, type TwinOptions, tlsWire } from '../../simulated/router-twin.ts';
import { type Api, client, management } from '../client.ts';

/** A router that has enrolled. */
export interface EnrolledTwin {
  readonly id: string;
  readonly name: string;
  readonly context: SecureContext;
}

/** Fewer than a router may connect in a burst. */
const triesMax = 5;

/** Requests or dials at a time. */
const inFlightMax = 32;

/** Creates routers with these names and enrolls them. */
export async function enrollTwins(
  admin: Api,
  names: readonly string[],
  ca: string,
  roleAttributesOf: (name: string) => readonly string[] = () => [],
): Promise<EnrolledTwin[]> {
  const created = new Set(
    await atOnce(names, (name) => {
      const roleAttributes = roleAttributesOf(name);
      return admin.create('edge-routers', { name, roleAttributes });
    }),
  );
  const rows = (await admin.all('edge-routers')).filter(({ id }) => created.has(String(id)));
  return await atOnce(rows, async ({ id, name, enrollmentToken }) => {
    const { request, key } = await makeKeptRequest(String(id));
    const path = `${client}/enroll?method=erott&token=${enrollmentToken}`;
    const { cert } = await admin.ask('POST', path, { certCsr: request, serverCertCsr: request });
    const context = createSecureContext({ ca, key, cert: String(cert) });
    return { id: String(id), name: String(name), context };
  });
}

/** The port of the address that the controller tells routers. */
export async function controlPortOf(admin: Api): Promise<number> {
  const [controller] = (await admin.ask('GET', `${management}/controllers`)) as unknown as {
    readonly ctrlAddress: string;
  }[];
  return Number(controller?.ctrlAddress.split(':').at(-1));
}

/** Where twins dial, and from which address of this machine. */
export interface DialOptions extends Omit<TwinOptions, 'id' | 'clock'> {
  readonly port: number;
  readonly localAddress: string;
}

/**
 * Dials and says hello. @returns the twin once it was accepted; undefined when it was refused, or
 * its connection ended before
 */
export async function connectTwin(
  { id, context }: EnrolledTwin,
  { port, localAddress, ...options }: DialOptions,
): Promise<RouterTwin | undefined> {
  const at = { host: '127.0.0.1', port, localAddress };
  const socket = dial({
    ...at,
    servername: 'localhost',
    secureContext: context,
    ALPNProtocols: ['ziti-ctrl'],
  });
  socket.on('error', () => undefined);
  return await new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    socket.once('secureConnect', () => {
      const twin = new RouterTwin(tlsWire(socket), { ...options, id, clock: systemClock });
      twin.onResult = () => resolve(twin.isAccepted ? twin : undefined);
      twin.greet();
    });
  });
}

/** The same, tried again where it fails: a busy machine may be too late for a router. */
export async function connectTwinAtLast(
  router: EnrolledTwin,
  options: DialOptions,
): Promise<RouterTwin | undefined> {
  for (let tries = 1; tries < triesMax; tries += 1) {
    const twin = await connectTwin(router, options);
    if (twin !== undefined) return twin;
  }
  return await connectTwin(router, options);
}

/** Does so many things at a time as is useful. @returns the results in the order of `items` */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: inFlightMax }, worker));
  return results;
}
