// A prefix of names and role attributes marks the entities that a bench creates. Our own homes need
// none. In a network that others use, only marked entities may be touched.

/** The spaces that policies select. */
export type Space = 'identities' | 'services' | 'routers';

/** Names and roles with the prefix of one run. */
export class Marks {
  /** Empty in homes of our own. */
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** A marked name. */
  name(text: string): string {
    return this.prefix + text;
  }

  /** Marked role attributes. */
  attributes(attributes: readonly string[]): string[] {
    return attributes.map((attribute) => this.prefix + attribute);
  }

  /** Entries of a policy by which it selects only marked entities; `#all` means all marked ones. */
  roles(space: Space, roles: readonly string[]): string[] {
    if (this.prefix === '') return [...roles];
    return roles
      .flatMap((role) => (role === '#all' ? everything[space] : [role]))
      .map((role) => (role.startsWith('#') ? `#${this.prefix}${role.slice(1)}` : role));
  }
}

/** The attributes of which every entity of a bench has one. */
const everything: Readonly<Record<Space, readonly string[]>> = {
  identities: ['#bench', '#caller', '#viewer'],
  services: ['#shown', '#hidden', '#made', '#guarded'],
  routers: ['#bench'],
};
