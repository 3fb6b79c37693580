// A field that one edit adds to a kind works everywhere: here `remark`, in a copy of services.

import t from 'tap';
import Type from 'typebox';
import { clientTypes } from '../../.ci/generate/client-types.ts';
import { sections } from '../../src/commands/declarative/sections.ts';
import { CacheBudget } from '../../src/containers/recent-cache.ts';
import { field } from '../../src/declare/kinds/field.ts';
import { defineKind } from '../../src/declare/kinds/kind.ts';
import { openApiOf } from '../../src/declare/openapi/openapi.ts';
import { perApi } from '../../src/declare/operations/apis.ts';
import { operationsOf } from '../../src/declare/resources/crud.ts';
import { View } from '../../src/declare/resources/view.ts';
import { ResourceScope } from '../../src/declare/symbols/symbols.ts';
import { instanceResources } from '../../src/inspect/server/instances/instance-resources.ts';
import { serviceKind } from '../../src/records/service.ts';
import { defineResource } from '../../src/resources/context.ts';
import { kinds, resources } from '../../src/resources/index.ts';
import { services } from '../../src/resources/services/service.ts';
import { NewerRecord, NotFinalized } from '../../src/store/record.ts';

const version = serviceKind.version + 1;
const remark = { fallback: '', symbol: 'string', since: version } as const;
const { kind: name, many, downgrades = {} } = serviceKind;
const kind = defineKind({
  kind: name,
  version,
  fields: { remark: field(Type.String({ maxLength: 4096 }), remark), ...serviceKind.fields },
  many,
  downgrades,
});
const { symbols: _, operations: _own, takes: _none, unfiltered: _all, ...shape } = services;
const resource = defineResource({ ...shape, kind });
const older = serviceKind.codec.decode('s', serviceKind.version, [1, 1, null, null, 's']);
const record = kind.codec.decode('s', serviceKind.version, serviceKind.codec.encode(older));

t.test('lists show it, and can be filtered and sorted by it', async (t) => {
  const targets = perApi(() => new Set<string>());
  const view = new View(resource, new CacheBudget(1e6), targets);
  const remarked = { ...record, remark: 'by the door' };
  const shown = `${view.own(remarked, 'management')}}`;
  t.match(JSON.parse(shown), { remark: 'by the door' });
  t.ok(resource.symbols.includes('remark'));
  const scope = new ResourceScope({ resource, kinds, resources, scopeOf: () => undefined });
  t.match(scope.symbol('remark'), { form: 'scalar', type: 'string' });
});

t.test('OpenAPI documents and client types have it', async (t) => {
  const document = JSON.stringify(openApiOf('management', operationsOf(resource)));
  const uses = document.split('"remark":{"type":"string","maxLength":4096}').length - 1;
  t.ok(uses >= 4, 'in the bodies of create, put and patch, and in answers');
  const [, management] = clientTypes;
  const types = management?.print([document]) ?? '';
  t.match(types, /\bremark\?: string;/);
  t.match(types, /\bremark: string;/);
});

t.test('export and apply have each field that callers set', async (t) => {
  for (const { name, path, fields, renamed } of Object.values(sections)) {
    const own = resources.find((one) => `/${one.path}` === path);
    const bodies = ['name', ...fields.map((one) => renamed[one]?.body ?? one)];
    const settable = Object.entries(own?.fields ?? {}).filter(([, { write }]) => write !== 'never');
    t.ok(settable.length > 0, name);
    t.same(
      settable.map(([one]) => one).filter((one) => !bodies.includes(one)),
      [],
      name,
    );
  }
});

t.test('the inspector finds instances by it', async (t) => {
  t.ok(instanceResources([kind], [resource]).get('service')?.symbols.includes('remark'));
});

t.test('older records get its fallback, and older nodes are never sent it', async (t) => {
  t.equal(record.remark, '');
  t.strictSame(kind.codec.encode(record, version - 1), serviceKind.codec.encode(older));
  t.throws(() => kind.codec.encode({ ...record, remark: 'x' }, version - 1), NotFinalized);
  const values = kind.codec.encode({ ...record, remark: 'x' });
  t.throws(() => serviceKind.codec.decode('s', version, values), NewerRecord);
});
