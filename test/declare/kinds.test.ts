// The same properties for every kind: records survive their layout on disk, views are JSON, and
// bodies are checked.

import t from 'tap';
import { CacheBudget } from '../../src/containers/recent-cache.ts';
import type { Field } from '../../src/declare/kinds/field.ts';
import type { Kind, RecordOf } from '../../src/declare/kinds/kind.ts';
import { bodySchema } from '../../src/declare/resources/bodies.ts';
import { schemaProblem } from '../../src/declare/resources/validate.ts';
import { View } from '../../src/declare/resources/view.ts';
import { kinds, resources } from '../../src/resources/index.ts';
import { NotFinalized, type RecordBase } from '../../src/store/record.ts';
import * as fc from '../properties.ts';
import { jsonArbitrary, recordArbitrary } from './arbitrary.ts';

const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

for (const kind of kinds) {
  t.test(`${kind.kind}: a record survives its layout on disk`, async (t) => {
    fc.assert(
      fc.property(recordArbitrary(kind), (record) => {
        const { version } = kind.codec;
        const values = kind.codec.encode(record);
        const back = kind.codec.decode(record.id, version, values);
        t.same(plain(back), plain(record));
        const kept = kind.codec.compact(record);
        t.strictSame(kept, back, 'memory holds the same with and without a restart');
        t.strictSame(Object.keys(kept), Object.keys(back), 'in one shape');
        for (let former = kind.codec.oldestWritten; former < version; former++) {
          const older = olderValues(kind, record, former);
          if (older === undefined) continue;
          const form = kind.codec.decode(record.id, former, older);
          const again = kind.codec.decode(record.id, former, kind.codec.encode(form, former));
          t.strictSame(again, form, 'a former version keeps the form that it gives');
        }
      }),
      { numRuns: 25 },
    );
    t.throws(() => kind.codec.decode('x', kind.version + 1, []), /newer/);
  });

  t.test(`${kind.kind}: an empty field refers to nothing, and a text to what it is`, async (t) => {
    for (const { field, relation } of kind.relations) {
      const { schema } = kind.fields[field] as Field;
      const { type, patternProperties } = schema as { type?: string; patternProperties?: object };
      if (type === 'string') t.equal(relation.ids('some-id'), 'some-id', field);
      else if (type === 'array') t.strictSame(relation.ids([]), [], field);
      else t.equal(type, 'object', field);
      if (patternProperties !== undefined) t.strictSame(relation.ids({}), [], field);
    }
  });

  t.test(`${kind.kind}: an own view is JSON and shows no secret`, async (t) => {
    const parts = { kind, path: 'things', links: { more: 'more' } };
    const view = new View(parts, new CacheBudget(1e6), {
      client: new Set(),
      fabric: new Set(),
      management: new Set(['/things/{}', '/things/{}/more']),
    });
    fc.assert(
      fc.property(recordArbitrary(kind), (record) => {
        const shown = JSON.parse(`${view.own(record, 'management').toString()}}`);
        t.equal(shown.id, record.id);
        t.same(shown._links.more, { href: `./things/${record.id}/more` });
        const outside = JSON.parse(`${view.own(record, 'client').toString()}}`);
        t.same(outside, { ...shown, _links: {} }, 'no link that no operation answers');
        for (const name of kind.fieldNames) {
          if (kind.fields[name]?.show === 'never') t.notOk(Object.hasOwn(shown, name), name);
        }
      }),
      { numRuns: 10 },
    );
  });
}

/** The values in a former version; undefined if it cannot keep them. */
function olderValues(kind: Kind, record: RecordBase, version: number): unknown[] | undefined {
  try {
    return kind.codec.encode(record as RecordOf<typeof kind.fields>, version);
  } catch (error) {
    if (error instanceof NotFinalized) return undefined;
    throw error;
  }
}

for (const { kind, path, inputs } of resources) {
  t.test(`${path}: a generated body passes its own schema`, async (t) => {
    const schema = bodySchema('create', kind.fields, inputs?.create ?? {});
    const body = jsonArbitrary(schema);
    fc.assert(
      fc.property(body, (json) => {
        const problem = schemaProblem(schema, json);
        t.equal(problem, undefined, JSON.stringify([problem, json]));
      }),
      { numRuns: 10 },
    );
  });
}
