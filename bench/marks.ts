// How what a bench makes is told from what was there: a prefix of names and role attributes. Homes
// of our own need none; in somebody's network nothing but what we made may be touched.

/** What policies select. */
export type Space = 'identities' | 'services' | 'routers';

/** Names and roles with the prefix of one run. */
export class Marks {
  /** Empty in homes of our own. */
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** A name that is ours. */
  name(text: string): string {
    return this.prefix + text;
  }

  /** Role attributes that are ours. */
  attributes(attributes: readonly string[]): string[] {
    return attributes.map((attribute) => this.prefix + attribute);
  }

  /** Entries of a policy, by which it selects only what is ours; `#all` is all of ours. */
  roles(space: Space, roles: readonly string[]): string[] {
    if (this.prefix === '') return [...roles];
    return roles
      .flatMap((role) => (role === '#all' ? everything[space] : [role]))
      .map((role) => (role.startsWith('#') ? `#${this.prefix}${role.slice(1)}` : role));
  }
}

/** The attributes that everything a bench makes has one of. */
const everything: Readonly<Record<Space, readonly string[]>> = {
  identities: ['#bench', '#caller', '#viewer'],
  services: ['#shown', '#hidden', '#made', '#guarded'],
  routers: ['#bench'],
};
