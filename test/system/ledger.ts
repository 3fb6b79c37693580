// The promises to a client: each entity that it created, changed or deleted, and whether that was
// acknowledged.

/**
 * `there` and `gone` were acknowledged. `creating` and `deleting` were asked for, and no answer
 * came: the entity may be there or not.
 */
export type Standing = 'creating' | 'there' | 'deleting' | 'gone';

/** One entity in the ledger. */
export interface Entry {
  standing: Standing;
  /** Known when the creation was acknowledged, or the entity was found later. */
  id: string | undefined;
  /** The round that last touched it. */
  round: number;
}

/** An identity; `value` is what the last acknowledged patch wrote. */
export interface IdentityEntry extends Entry {
  readonly name: string;
  value: number;
  /** What a patch without an answer wanted to write. */
  wanted: number | undefined;
  /** Of identities that can log in. */
  readonly password: string | undefined;
  readonly apiSessions: ApiSessionEntry[];
}

/** An API session, which goes with its identity. */
export interface ApiSessionEntry extends Entry {
  token: string | undefined;
  readonly identity: IdentityEntry;
  readonly sessions: SessionEntry[];
}

/** A session, which goes with its API session. There is one for a service and type. */
export interface SessionEntry extends Entry {
  readonly apiSession: ApiSessionEntry;
  readonly serviceId: string;
  readonly type: 'Dial' | 'Bind';
}

/** All promises of a campaign. */
export class Ledger {
  readonly identities: IdentityEntry[] = [];
  readonly apiSessions: ApiSessionEntry[] = [];
  readonly sessions: SessionEntry[] = [];
  /** What must stand in no log: passwords and tokens that came by. */
  readonly secrets = new Set<string>();
  round = 0;

  identity(name: string, password?: string): IdentityEntry {
    const made: IdentityEntry = {
      ...this.#creating(),
      name,
      value: 0,
      wanted: undefined,
      password,
      apiSessions: [],
    };
    if (password !== undefined) this.secrets.add(password);
    this.identities.push(made);
    return made;
  }

  apiSession(identity: IdentityEntry): ApiSessionEntry {
    const made = { ...this.#creating(), token: undefined, identity, sessions: [] };
    this.apiSessions.push(made);
    identity.apiSessions.push(made);
    return made;
  }

  session(
    apiSession: ApiSessionEntry,
    serviceId: string,
    type: SessionEntry['type'],
  ): SessionEntry {
    const made = { ...this.#creating(), apiSession, serviceId, type };
    this.sessions.push(made);
    apiSession.sessions.push(made);
    return made;
  }

  /** Notes a change that is asked for now. */
  asked(entry: Entry, standing: Standing): void {
    entry.standing = standing;
    entry.round = this.round;
  }

  /** Notes that an identity, with all below it, was acknowledged to be gone or found to be. */
  identityGone(entry: IdentityEntry): void {
    this.asked(entry, 'gone');
    for (const below of entry.apiSessions) this.apiSessionGone(below);
  }

  /** The same of an API session. */
  apiSessionGone(entry: ApiSessionEntry): void {
    this.asked(entry, 'gone');
    for (const below of entry.sessions) this.asked(below, 'gone');
  }

  #creating(): Entry {
    return { standing: 'creating', id: undefined, round: this.round };
  }
}

/** The entries that are in a standing. */
export function standing<E extends Entry>(entries: readonly E[], ...of: Standing[]): E[] {
  return entries.filter((entry) => of.includes(entry.standing));
}
