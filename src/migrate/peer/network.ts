// The peer's database: its schema, and the entities of each kind.

import type { Bucket } from '../bolt/bucket.ts';
import { SourceDamaged } from '../source-problem.ts';
import type { PeerEntity, PeerNetwork } from './entity.ts';
import { Entity, Fields } from './fields.ts';
import { Place } from './place.ts';
import { nameOf } from './values.ts';

/**
 * Reads the schema and the names of all kinds; entities are read as they are asked for.
 * @param root the bucket that holds all others of the file
 * @throws SourceDamaged for a database that is none of the peer
 */
export function readNetwork(root: Bucket): PeerNetwork {
  const ziti = root.bucket('ziti');
  const versions = ziti?.bucket('versions');
  const place = new Place('versions');
  const schema = versions === undefined ? undefined : new Fields(versions, place).integer('edge');
  if (ziti === undefined || schema === undefined) {
    throw new SourceDamaged(
      'The database does not say which schema it has, so it is none of an OpenZiti controller.',
    );
  }
  const meta = root.bucket('meta');
  return {
    schema,
    kinds: namesIn(ziti, 'ziti'),
    roots: namesIn(root, 'The root'),
    timelineId:
      meta === undefined ? undefined : new Fields(meta, new Place('meta')).text('timelineId'),
    entities: (kind) => entitiesOf(ziti, kind),
    entity: (kind, id) => entityOf(ziti, kind, id),
    fields: (name) => {
      const bucket = ziti.bucket(name);
      return bucket === undefined ? undefined : new Fields(bucket, new Place(name));
    },
  };
}

function namesIn(bucket: Bucket, name: string): string[] {
  return new Fields(bucket, new Place(name)).names();
}

function* entitiesOf(ziti: Bucket, kind: string): Iterable<PeerEntity> {
  const bucket = ziti.bucket(kind);
  if (bucket === undefined) return;
  const place = new Place(kind);
  for (const entry of bucket.entries()) {
    const id = nameOf(entry, place);
    if (entry.bucket === undefined)
      throw place.under(id).damaged('is a single value, not an entity');
    yield new Entity(kind, id, entry.bucket);
  }
}

function entityOf(ziti: Bucket, kind: string, id: string): PeerEntity | undefined {
  const bucket = id === '' ? undefined : ziti.bucket(kind)?.bucket(id);
  return bucket === undefined ? undefined : new Entity(kind, id, bucket);
}
