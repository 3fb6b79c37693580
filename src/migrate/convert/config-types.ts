// Config types of the peer. The schema of a built-in one becomes ours, unless somebody changed it.

import { userSchemaFault } from '../../declare/resources/user-schema.ts';
import { type ConfigTarget, configTypeKind } from '../../records/config-type.ts';
import { allConfigTypes } from '../../resources/configs/config-type.ts';
import type { PeerEntity } from '../peer/entity.ts';
import { isShipped, ownSchemaOf, ownTargetOf } from './built-in-schemas.ts';
import { defineConversion } from './conversion.ts';
import { nameOf, textIn } from './entity-values.ts';
import type { EntityNotes } from './notes.ts';
import { quoted } from './quoted.ts';

/** Config types with their schemas. */
export const configTypes = defineConversion({
  bucket: 'configTypes',
  kind: configTypeKind,
  derived: ['configs'],
  convert(entity, _context, notes) {
    const name = nameOf(entity, notes);
    if (name === allConfigTypes) {
      notes.kept(`Its name ${quoted(name)} is kept, although it is reserved.`);
    }
    return { name, target: targetOf(entity, notes), schema: schemaOf(entity, notes) };
  },
  taken({ id, schema }, { schemas }) {
    schemas.set(id, schema);
  },
});

/** Below schema 45 there were only config types for services. */
function targetOf(entity: PeerEntity, notes: EntityNotes): ConfigTarget {
  const target = textIn(entity, 'target') ?? ownTargetOf(entity.id) ?? 'service';
  if (target === 'service' || target === 'router' || target === 'other') return target;
  notes.changed(`Its target ${quoted(target)} is not known, and becomes other.`);
  return 'other';
}

function schemaOf(entity: PeerEntity, notes: EntityNotes): object {
  const theirs = theirSchemaOf(entity, notes);
  const ours = ownSchemaOf(entity.id);
  if (ours !== undefined) {
    if (isShipped(entity.id, theirs)) return ours;
    notes.kept('Its schema is none that a known release of the peer shipped, and is kept.');
  }
  if (Object.keys(theirs).length === 0) return theirs;
  const fault = userSchemaFault(theirs);
  if (fault !== undefined) {
    notes.kept(
      `Its schema is kept, although no data can be checked by it, so writes of its configs are ` +
        `refused until it is corrected: ${fault.slice(0, 300)}.`,
    );
  }
  return theirs;
}

/** Without a schema, any object is valid. */
function theirSchemaOf(entity: PeerEntity, notes: EntityNotes): object {
  const text = textIn(entity, 'schema');
  if (text === undefined) return {};
  const schema = parsed(text);
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema;
  notes.changed('Its schema is no JSON object, and is dropped: any data is valid.');
  return {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
