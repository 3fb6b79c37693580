// The compiler refuses an operation where a part that it needs is missing.

import t from 'tap';
import type { Environment } from '../../src/declare/operations/environment.ts';
import {
  type AnyOperation,
  type Operation,
  operationFor,
} from '../../src/declare/operations/operation.ts';
import { defineResourceFor, operationsOf } from '../../src/declare/resources/crud.ts';
import { configTypeKind } from '../../src/records/config-type.ts';

type WithPart = Environment & { readonly part: string };

const usesPart = operationFor<WithPart>()({
  id: 'usesPart',
  path: '/part',
  answered: 'own',
  access: 'public',
  summary: 'Answer with the part',
  errors: [],
  decide: ({ env }) => ({ form: 'data', status: 200, data: [env.part] }),
});

const resource = defineResourceFor<WithPart>()({
  kind: configTypeKind,
  path: 'parts',
  answered: 'here',
  title: 'part',
  names: { one: 'Part', many: 'Parts' },
  verbs: { management: ['get'] },
  permission: 'admin_readonly',
  mayShow: ({ env }, { name }) => env.part === name,
});

t.test('an operation is listed where its parts are', (t) => {
  const listed: readonly Operation<WithPart>[] = [usesPart, ...operationsOf(resource)];
  const described: readonly AnyOperation[] = listed;
  t.same(
    described.map(({ id }) => id),
    ['usesPart', 'detailPart'],
  );
  t.end();
});

t.test('and not where one is missing', (t) => {
  // @ts-expect-error Environment has no part.
  const own: Operation = usesPart;
  // @ts-expect-error Its functions may use the part, so all its operations need it.
  const derived: readonly Operation[] = operationsOf(resource);
  t.same(
    [own, ...derived].map(({ id }) => id),
    ['usesPart', 'detailPart'],
  );
  t.end();
});
