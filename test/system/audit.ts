// Compares a controller with a ledger after a crash: lists, lookups, names, tokens, counts.

import { Api, client, type Json, management } from './client.ts';
import {
  type ApiSessionEntry,
  type Entry,
  type IdentityEntry,
  type Ledger,
  type SessionEntry,
  standing,
} from './ledger.ts';

/** A promise that was broken. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** What an audit found. */
export interface AuditCounts {
  readonly identities: number;
  readonly apiSessions: number;
  readonly sessions: number;
  /** Requests whose answer never came, by what became of them. */
  readonly done: number;
  readonly undone: number;
}

/**
 * Looks at everything by list; by id, name and token at what was touched in this round, or at
 * `everything`. What was unsure is settled in the ledger by what is found. @throws Broken
 */
export async function audit(admin: Api, ledger: Ledger, everything: boolean): Promise<AuditCounts> {
  return await new Audit(admin, ledger, everything).run();
}

type Rows = ReadonlyMap<string, Json>;

class Audit {
  readonly #admin: Api;
  readonly #ledger: Ledger;
  readonly #everything: boolean;
  #done = 0;
  #undone = 0;

  constructor(admin: Api, ledger: Ledger, everything: boolean) {
    this.#admin = admin;
    this.#ledger = ledger;
    this.#everything = everything;
  }

  async run(): Promise<AuditCounts> {
    const identities = await this.#admin.all('identities');
    const apiSessions = indexed(await this.#admin.all('api-sessions'), ({ id }) => id);
    const sessions = indexed(await this.#admin.all('sessions'), ({ id }) => id);
    this.#settleIdentities(indexed(identities, ({ name }) => name));
    this.#settleApiSessions(apiSessions);
    this.#settleSessions(sessions);

    const self = await this.#admin.ask('GET', `${client}/current-identity`);
    const identityRows = indexed(identities, ({ id }) => id);
    sameIds('identities', [...this.#ledger.identities, self as never], identityRows);
    const own = { id: this.#admin.sessionId } as never;
    sameIds('API sessions', [...this.#ledger.apiSessions, own], apiSessions);
    sameIds('sessions', this.#ledger.sessions, sessions);
    await this.#checkAuthenticators(identityRows);
    await this.#endUnanswered();

    const rows = { identities: identityRows.size, apiSessions: apiSessions.size };
    await each(this.#touched(this.#ledger.identities), (entry) => this.#lookUpIdentity(entry));
    await each(this.#touched(this.#ledger.apiSessions), (entry) => this.#lookUpApiSession(entry));
    await each(this.#touched(this.#ledger.sessions), (entry) => this.#lookUpSession(entry));
    return { ...rows, sessions: sessions.size, done: this.#done, undone: this.#undone };
  }

  #touched<E extends Entry>(entries: readonly E[]): E[] {
    return entries.filter(({ round }) => this.#everything || round === this.#ledger.round);
  }

  #settle(entry: Entry, isThere: boolean, what: string): void {
    const { standing: promised } = entry;
    if (promised === 'there' && !isThere) throw new Broken(`${what} is lost`);
    if (promised === 'gone' && isThere) throw new Broken(`${what} is back`);
    if (promised === 'creating' || promised === 'deleting') {
      if ((promised === 'creating') === isThere) this.#done += 1;
      else this.#undone += 1;
    }
    entry.standing = isThere ? 'there' : 'gone';
  }

  #settleIdentities(byName: Rows): void {
    for (const entry of this.#ledger.identities) {
      const row = byName.get(entry.name);
      const wasUnsure = entry.standing === 'deleting';
      this.#settle(entry, row !== undefined, `identity ${entry.name}`);
      if (row !== undefined) this.#settleValue(entry, row);
      // What lies below went in the same frame, or the audit of it will tell.
      else if (wasUnsure) this.#ledger.identityGone(entry);
    }
  }

  #settleValue(entry: IdentityEntry, row: Json): void {
    const { name, id = row['id'], value, wanted } = entry;
    if (row['id'] !== id) throw new Broken(`${name} has the id ${row['id']}, not ${id}`);
    entry.id = String(id);
    const { value: found } = row['appData'] as { readonly value: number };
    if (found !== value && found !== wanted) {
      throw new Broken(`${name} holds ${found}, neither ${value} nor ${wanted}`);
    }
    if (wanted !== undefined && found === wanted) this.#done += 1;
    else if (wanted !== undefined) this.#undone += 1;
    entry.value = found;
    entry.wanted = undefined;
  }

  /** A log-in without an answer left an API session of unknown id, or none. */
  #settleApiSessions(byId: Rows): void {
    const known = new Set(this.#ledger.apiSessions.map(({ id }) => id));
    const strangers = new Set([...byId.values()].filter(({ id }) => !known.has(String(id))));
    for (const entry of this.#ledger.apiSessions) {
      const { id, identity, standing: promised } = entry;
      const row =
        promised === 'creating'
          ? [...strangers].find(({ identityId }) => identityId === identity.id)
          : byId.get(id ?? '');
      this.#settle(entry, row !== undefined, `API session ${id} of ${identity.name}`);
      if (row === undefined) {
        if (promised === 'deleting') this.#ledger.apiSessionGone(entry);
        continue;
      }
      if (row['identityId'] !== identity.id) throw new Broken(`API session ${id} changed hands`);
      // The same identity may have logged in more than once without an answer.
      strangers.delete(row);
      entry.id = String(row['id']);
    }
  }

  /** Nobody knows the token of a session whose log-in had no answer: no list shows it either. */
  async #endUnanswered(): Promise<void> {
    for (const entry of standing(this.#ledger.apiSessions, 'there')) {
      if (entry.token !== undefined) continue;
      await this.#admin.ask('DELETE', `${management}/api-sessions/${entry.id}`);
      this.#ledger.apiSessionGone(entry);
    }
  }

  #settleSessions(byId: Rows): void {
    const byPurpose = indexed([...byId.values()], purposeOf);
    for (const entry of this.#ledger.sessions) {
      const { id, standing: promised, serviceId, type } = entry;
      const purpose = purposeOf({ apiSessionId: entry.apiSession.id, serviceId, type });
      const row = promised === 'creating' ? byPurpose.get(purpose) : byId.get(id ?? '');
      this.#settle(entry, row !== undefined, `session ${id} (${purpose})`);
      if (row === undefined) continue;
      if (purposeOf(row) !== purpose) throw new Broken(`session ${id} is now ${purposeOf(row)}`);
      entry.id = String(row['id']);
    }
  }

  /** Whoever logged in has an authenticator, and none is left of an identity that is gone. */
  async #checkAuthenticators(identities: Rows): Promise<void> {
    const rows = await this.#admin.all('authenticators');
    const byIdentity = indexed(rows, ({ identityId }) => identityId);
    for (const id of byIdentity.keys()) {
      if (!identities.has(id)) throw new Broken(`an authenticator of the lost identity ${id}`);
    }
    for (const { id = '', name, apiSessions } of standing(this.#ledger.identities, 'there')) {
      if (apiSessions.length > 0 && !byIdentity.has(id)) throw new Broken(`${name} has no login`);
    }
  }

  async #lookUpIdentity({ id, name, standing: now }: IdentityEntry): Promise<void> {
    const collection = `${management}/identities`;
    if (id !== undefined) {
      const { status, data } = await this.#admin.call('GET', `${collection}/${id}`);
      expect(`identity ${name} by id`, status, now === 'there' ? 200 : 404);
      if (now === 'there') expect('its name', data['name'], name);
    }
    const body = { name, type: 'Default', isAdmin: false };
    const again = await this.#admin.call('POST', collection, body);
    // A client that asks again takes a refusal for the answer of an attempt that it lost, and
    // finds the identity that was there before.
    const isItself = id !== undefined && again.data['id'] === id;
    const status = isItself ? 400 : again.status;
    expect(`the name ${name} once more`, status, now === 'there' ? 400 : 201);
    if (now === 'gone') await this.#admin.ask('DELETE', `${collection}/${again.data['id']}`);
  }

  async #lookUpApiSession({ id, token, standing: now }: ApiSessionEntry): Promise<void> {
    if (id === undefined || token === undefined) return;
    const { status } = await this.#admin.call('GET', `${management}/api-sessions/${id}`);
    expect(`API session ${id} by id`, status, now === 'there' ? 200 : 404);
    const own = await this.#admin.client.call('GET', `${client}/current-api-session`, { token });
    expect(`the token of API session ${id}`, own.status, now === 'there' ? 200 : 401);
    if (now === 'there') expect('whose it is', own.data['id'], id);
  }

  async #lookUpSession(entry: SessionEntry): Promise<void> {
    const { id = 'unknown', apiSession, serviceId, type, standing: now } = entry;
    const { status } = await this.#admin.call('GET', `${management}/sessions/${id}`);
    expect(`session ${id} by id`, status, now === 'there' ? 200 : 404);
    if (apiSession.standing !== 'there') return;
    // The last one for a purpose speaks for those before it.
    const last = apiSession.sessions.findLast(
      (other) => other.serviceId === serviceId && other.type === type,
    );
    if (entry !== last) return;
    const owner = new Api(this.#admin.client, apiSession.token ?? '', '');
    const again = await owner.ask('POST', `${client}/sessions`, { serviceId, type });
    if ((again['id'] === id) !== (now === 'there')) {
      throw new Broken(`session ${id} is ${now}, and asked for again it is ${again['id']}`);
    }
    if (now === 'gone') await owner.ask('DELETE', `${client}/sessions/${again['id']}`);
  }
}

function purposeOf({ apiSessionId, serviceId, type }: Json): string {
  return `${apiSessionId}/${serviceId}/${type}`;
}

/** @throws Broken for a key that stands twice */
function indexed(rows: readonly Json[], keyOf: (row: Json) => unknown): Map<string, Json> {
  const byKey = new Map<string, Json>();
  for (const row of rows) {
    const key = String(keyOf(row));
    if (byKey.has(key)) throw new Broken(`${key} is listed twice`);
    byKey.set(key, row);
  }
  return byKey;
}

/** The list shows what there should be, and nothing that nobody asked for. */
function sameIds(what: string, entries: readonly Entry[], found: Rows): void {
  const expected = new Set<string>();
  for (const { id, standing: now } of entries) {
    if (now !== 'gone' && id !== undefined) expected.add(id);
  }
  const lost = [...expected].filter((id) => !found.has(id));
  const strange = [...found.keys()].filter((id) => !expected.has(id));
  if (lost.length + strange.length === 0) return;
  throw new Broken(`${what}: not listed [${lost}], listed and unknown [${strange}]`);
}

function expect(what: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Broken(`${what}: ${found}, not ${expected}`);
}

/** A few at a time; those of one owner don't get into each other's way, as no two are the same. */
async function each<E>(entries: readonly E[], look: (entry: E) => Promise<void>): Promise<void> {
  const left = entries.values();
  const work = async () => {
    for (const entry of left) await look(entry);
  };
  await Promise.all([work(), work(), work(), work()]);
}
