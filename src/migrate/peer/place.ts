// Where in the peer's database a value stands, for errors that name it.

import { printable } from '../../platform/printable.ts';
import { SourceDamaged } from '../source-problem.ts';

/** Characters of a name in an error: whoever wrote the file chose it. @bound */
const shownNameCharactersMax = 200;

/** A place in the database: an entity, and a field of it. */
export class Place {
  readonly #entity: string;
  readonly #path: string;

  /** @param entity its kind and id, such as `identities -63w5SELEa` */
  constructor(entity: string, path = '') {
    this.#entity = entity;
    this.#path = path;
  }

  /** The path of the field, such as `tags.floor`; empty for the entity itself. */
  get path(): string {
    return this.#path;
  }

  /** A place below this one. */
  under(name: string): Place {
    return new Place(this.#entity, this.#path === '' ? name : `${this.#path}.${name}`);
  }

  /**
   * An error about this place.
   * @param what the rest of its sentence. It must not hold a value, which may be a secret
   */
  damaged(what: string): SourceDamaged {
    const field = this.#path === '' ? '' : `Field ${shown(this.#path)} of `;
    return new SourceDamaged(`${field}${shown(this.#entity)} in the database ${what}.`);
  }
}

function shown(name: string): string {
  const cut = name.length > shownNameCharactersMax;
  return printable(cut ? `${name.slice(0, shownNameCharactersMax)}…` : name);
}
