// Histories of single records: clients at all fronts read and write one field, or delete a record
// and look for it, and note when they asked and when they were answered.

import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Answer, type Api, management } from '../client.ts';
import type { Dice } from '../dice.ts';
import { WrongAnswer } from '../load.ts';
import { type Fleeting, fleetingConfig, fleetingSession, gone, type Look } from './fleeting.ts';
import { FrontClient, type Fronts, type Outcome } from './front-client.ts';

/** One line of a history, as `linearizability/main.go` reads it. Times are in microseconds. */
export interface Operation {
  readonly record: string;
  readonly client: number;
  readonly kind: 'read' | 'write';
  readonly value: number;
  readonly invoked: number;
  /** Absent for a write that may have been carried out, or may be at any time. */
  readonly returned?: number;
}

const clientsCount = 6;
const recordsCount = 3;
/** Of so many requests, one is about a record that is deleted once. */
const aboutFleeting = 4;
/** Of so many of these, one deletes a record: some are left when the fault is over. */
const deleting = 15;
const pauseMsMax = 160;
/** All is well again when each front is asked for the last time: as long as nothing takes. */
const readForMs = 240_000;

/** The history of one round, on records of its own. */
export class History {
  readonly operations: Operation[] = [];
  readonly #token: string;
  readonly #fronts: Fronts;
  readonly #records: readonly Watched[];
  /** Each client deletes those of its own number. */
  readonly #fleeting: readonly (Fleeting & { readonly client: number })[];
  readonly #deleted = new Set<Fleeting>();
  #written = 0;
  #isStopped = false;

  private constructor(
    fronts: Fronts,
    token: string,
    records: readonly Watched[],
    fleeting: readonly (Fleeting & { readonly client: number })[],
  ) {
    this.#fronts = fronts;
    this.#token = token;
    this.#records = records;
    this.#fleeting = fleeting;
  }

  /** Makes the records, each with the value 0. */
  static async begin(fronts: Fronts, admin: Api, round: string): Promise<History> {
    const configTypeId = await admin.create('config-types', { name: `history-${round}` });
    const records: Watched[] = [];
    for (let number = 0; number < recordsCount; number += 1) {
      const name = `history-${round}-${number}`;
      const record = await admin.create('configs', { name, configTypeId, data: { value: 0 } });
      const path = `${management}/configs/${record}`;
      records.push({ record, looks: [{ path, token: admin.token, read: registerIn }] });
    }
    const fleeting: (Fleeting & { readonly client: number })[] = [];
    for (let owner = 0; owner < clientsCount; owner += 1) {
      const config = { name: `fleeting-${round}-${owner}`, configTypeId };
      fleeting.push({ ...(await fleetingConfig(admin, config)), client: owner });
      fleeting.push({ ...(await fleetingSession(admin)), client: owner });
    }
    return new History(fronts, admin.token, records, fleeting);
  }

  /** Writes of which nobody knows whether they were carried out. */
  get open(): number {
    return this.operations.filter(({ returned }) => returned === undefined).length;
  }

  /** Reads and writes until `stop`. @throws WrongAnswer */
  async run(diceOf: (client: number) => Dice): Promise<void> {
    const clients = Array.from({ length: clientsCount }, (_, client) => client);
    await Promise.all(clients.map((client) => this.#client(client, diceOf(client))));
  }

  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Reads each record once more at each front, until it is answered.
   * @throws WrongAnswer; Error for a front that does not answer for a long time
   */
  async readAll(mostMs = readForMs): Promise<void> {
    for (const front of [0, 1, 2]) {
      const http = new FrontClient(this.#fronts, front);
      try {
        for (const { record, looks } of [...this.#records, ...this.#fleeting]) {
          for (const look of looks) await this.#readAt(http, front, { record, look }, mostMs);
        }
      } finally {
        await http.close();
      }
    }
  }

  /** Deletes what no client has deleted: nothing of a round is left. */
  async clear(admin: Api): Promise<void> {
    for (const { path } of this.#fleeting) {
      const { status, error } = await admin.call('DELETE', path);
      if (status !== 200 && status !== 404) {
        throw new Error(`DELETE ${path}: ${status} ${JSON.stringify(error)}`);
      }
    }
  }

  /** Writes one JSON line per operation. */
  write(path: string): void {
    const lines = this.operations.map((operation) => `${JSON.stringify(operation)}\n`);
    writeFileSync(path, lines.join(''));
  }

  async #client(client: number, dice: Dice): Promise<void> {
    const http = new FrontClient(this.#fronts, client % 3);
    while (!this.#isStopped) {
      await setTimeout(dice.integer(0, pauseMsMax));
      const isFleeting = dice.integer(1, aboutFleeting) === 1;
      const one = dice.one<Watched>(isFleeting ? this.#fleeting : this.#records);
      if (one === undefined) continue;
      const { record } = one;
      const look = dice.one(one.looks);
      if (isFleeting && dice.integer(1, deleting) === 1) await this.#deleteOne(http, client);
      else if (look !== undefined && (isFleeting || dice.integer(0, 1) === 0)) {
        await this.#read(http, client, { record, look });
      } else await this.#write(http, client, record);
    }
    await http.close();
  }

  /** Deletes what this client may delete and has not, if there is anything left. */
  async #deleteOne(http: FrontClient, client: number): Promise<void> {
    const found = this.#fleeting.find((one) => one.client === client && !this.#deleted.has(one));
    if (found === undefined) return;
    const { record, path } = found;
    const invoked = microseconds();
    const outcome = await http.attempt('DELETE', path, { token: this.#token });
    if (outcome.is === 'undone') return;
    this.#deleted.add(found);
    this.#note({ record, client, kind: 'write', value: gone, invoked }, outcome, path);
  }

  async #readAt(
    http: FrontClient,
    front: number,
    seen: { readonly record: string; readonly look: Look },
    mostMs: number,
  ): Promise<void> {
    const endMs = performance.now() + mostMs;
    for (;;) {
      const said = await this.#read(http, clientsCount + front, seen);
      if (said === undefined) return;
      if (performance.now() >= endMs) {
        throw new Error(`a record could not be read for ${mostMs} ms; at last ${said}`);
      }
      await setTimeout(100);
    }
  }

  /** @returns which front said what, if it was not answered */
  async #read(
    http: FrontClient,
    client: number,
    { record, look }: { readonly record: string; readonly look: Look },
  ): Promise<string | undefined> {
    const { path, token } = look;
    const invoked = microseconds();
    const outcome = await http.attempt('GET', path, { token });
    if (outcome.is !== 'answered') return outcome.said;
    const returned = microseconds();
    const value = look.read(outcome.answer);
    if (value === undefined) throw wrong('GET', path, outcome.answer);
    this.operations.push({ record, client, kind: 'read', value, invoked, returned });
    return undefined;
  }

  async #write(http: FrontClient, client: number, record: string): Promise<void> {
    this.#written += 1;
    const value = this.#written;
    const path = `${management}/configs/${record}`;
    const invoked = microseconds();
    const call = { token: this.#token, body: { data: { value } } };
    const outcome = await http.attempt('PATCH', path, call);
    if (outcome.is === 'undone') return;
    this.#note({ record, client, kind: 'write', value, invoked }, outcome, path);
  }

  /** A write that was answered, or of which nobody knows. */
  #note(
    asked: Operation,
    outcome: Exclude<Outcome, { readonly is: 'undone' }>,
    path: string,
  ): void {
    if (outcome.is === 'unknown') {
      this.operations.push(asked);
      return;
    }
    if (outcome.answer.status !== 200) throw wrong('a write to', path, outcome.answer);
    this.operations.push({ ...asked, returned: microseconds() });
  }
}

/** A record, and the ways to look for it. */
type Watched = Pick<Fleeting, 'record' | 'looks'>;

function registerIn({ status, data }: Answer): number | undefined {
  return status === 200 ? (data['data'] as { readonly value: number }).value : undefined;
}

function wrong(what: string, path: string, { status, error }: Answer): WrongAnswer {
  return new WrongAnswer(`${what} ${path}: ${status} ${JSON.stringify(error)}`);
}

/** One clock for all clients. */
function microseconds(): number {
  return Math.floor(performance.now() * 1000);
}
