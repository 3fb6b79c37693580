// A router of our own that enrolls with a running controller and connects over TLS.

import { once } from 'node:events';
import { connect as dial } from 'node:tls';
import { systemClock } from '../../src/platform/clock-and-random.ts';
import { makeKeptRequest } from '../simulated/certificates.ts';
import { RouterTwin, tlsWire } from '../simulated/router-twin.ts';
import type { Api } from '../system/client.ts';

/** The certificate of a router, in PEM. */
export interface Enrolled {
  readonly id: string;
  readonly cert: string;
  readonly key: string;
}

/** Enrolls a new router. */
export async function enroll(admin: Api, name = 'edge'): Promise<Enrolled> {
  const id = await admin.create('edge-routers', { name });
  const path = `/edge/management/v1/edge-routers/${id}`;
  const { enrollmentToken } = await admin.ask('GET', path);
  const { request, key } = await makeKeptRequest(id);
  const answer = await admin.ask(
    'POST',
    `/edge/client/v1/enroll?method=erott&token=${enrollmentToken}`,
    { certCsr: request, serverCertCsr: request },
  );
  return { id, cert: String(answer['cert']), key };
}

/** Connects, says hello, and waits for the answer. */
export async function connected({ id, cert, key }: Enrolled, port: number, secret?: Buffer) {
  const socket = dial({
    host: '127.0.0.1',
    port,
    cert,
    key,
    rejectUnauthorized: false,
    ALPNProtocols: ['ziti-ctrl'],
  });
  await once(socket, 'secureConnect');
  const shown = { id, clock: systemClock, hostname: 'edge.example' };
  const twin = new RouterTwin(tlsWire(socket), secret ? { ...shown, secret } : shown);
  const result = new Promise<void>((resolve) => {
    twin.onResult = () => resolve();
  });
  const closed = new Promise<void>((resolve) => {
    twin.onClosed = () => resolve();
  });
  twin.greet();
  await result;
  return { twin, closed };
}
