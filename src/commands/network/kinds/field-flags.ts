// The flags of a kind's fields, for the help and for completion.

import { flagOf } from './field-values.ts';
import type { FieldRow, KindRow } from './kind.ts';

/** The fields that a creation or an update takes as flags. */
export function settableFields({ fields }: KindRow, isCreation: boolean): FieldRow[] {
  // The word after the kind is the name of a new entity.
  return fields.filter(({ name, isFixed }) => (isCreation ? name !== 'name' : isFixed !== true));
}

/** The flags of a field, in commander's notation, with what they are for. */
export function flagRowsOf(field: FieldRow): (readonly [flag: string, doc: string])[] {
  const flag = flagOf(field);
  const doc = docOf(field);
  if (field.type === 'boolean') {
    const word = flag.replace(/^--(no-)?/, '');
    return [
      [`--${word}`, doc],
      [`--no-${word}`, 'The opposite.'],
    ];
  }
  const own = [`${flag} <${valueWord(field)}>`, doc] as const;
  return field.name === 'roleAttributes' ? [own, ['--roles <roles>', `As ${flag}.`]] : [own];
}

function valueWord({ type }: FieldRow): string {
  return type === 'attributes' ? 'roles' : type === 'object' || type === 'any' ? 'json' : type;
}

function docOf({ type, choices, references, name }: FieldRow): string {
  if (choices !== undefined) return `One of ${choices.join(', ')}.`;
  const [reference] = references ?? [];
  if (type === 'roles') return 'Roles: staff, @name, all; at update +a,-b.';
  if (type === 'attributes') return 'Role attributes; at update +a,-b.';
  if (reference !== undefined && reference.path.length === 0) {
    const what = reference.form === 'one' ? 'The name of an entity' : 'Names of entities';
    return `${what} of the kind ${reference.to}.`;
  }
  return `The field ${name}.`;
}
