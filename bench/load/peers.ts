// The servers and client certificates of the connections of a run.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Peer } from './connection.ts';
import type { Job } from './job.ts';

/** One that every server has, so that what a handshake costs two of them can be compared. */
const keyExchange = 'X25519';

/** The part of a job that peers need. */
export type PeerJob = Pick<Job, 'host' | 'port' | 'serverName' | 'caFile' | 'client'>;

/** The peers of a job: one for each certificate that is shown. */
export class Peers {
  readonly #job: PeerJob;
  readonly #ca: Buffer | undefined;
  /** One per certificate, because creating one costs the client as much as a handshake. */
  readonly #known: Peer[] = [];

  constructor(job: PeerJob) {
    this.#job = job;
    this.#ca = job.caFile === undefined ? undefined : readFileSync(job.caFile);
  }

  /** The n-th peer; they are taken in turn. */
  at(n: number): Peer {
    const { client, host, port, serverName = 'localhost' } = this.#job;
    const turn = client === undefined ? 0 : n % client.chains.length;
    let known = this.#known[turn];
    if (known === undefined) {
      const own = client === undefined ? {} : { key: client.key, cert: client.chains[turn] };
      const context = createSecureContext({ ca: this.#ca, ecdhCurve: keyExchange, ...own });
      this.#known[turn] = known = { host, port, serverName, context };
    }
    return known;
  }
}
