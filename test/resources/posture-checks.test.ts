// Posture checks of every type under bodies that nobody wrote.

import t from 'tap';
import type { TSchema } from 'typebox';
import { operationsOf } from '../../src/declare/resources/crud.ts';
import { postureChecks } from '../../src/resources/posture/posture-check.ts';
import { jsonArbitrary } from '../declare/arbitrary.ts';
import * as fc from '../properties.ts';
import { bootNetwork } from '../simulated/network.ts';

interface Variant {
  readonly properties: { readonly typeId: { readonly const: string } };
}

const create = operationsOf(postureChecks).find(({ method }) => method === 'POST');
const { anyOf: variants = [] } = (create?.body ?? {}) as { anyOf?: readonly (TSchema & Variant)[] };

t.equal(variants.length, 6);

for (const variant of variants) {
  const type = variant.properties.typeId.const;
  t.test(`${type}: whatever is sent is taken whole or refused with its field`, async (t) => {
    const network = await bootNetwork();
    const shaped = jsonArbitrary(variant) as fc.Arbitrary<Record<string, unknown>>;
    const good = shaped.map((body) => readable(body) as typeof body);
    // One property in three bodies of four is something else.
    const spoiled = fc.tuple(good, fc.nat(100), fc.jsonValue(), fc.nat(3)).map(spoil);
    let serial = 0;
    let taken = 0;
    const send = async (method: string, path: string, body: Record<string, unknown>) => {
      const named = typeof body['name'] === 'string' ? { ...body, name: `n${serial++}` } : body;
      const answer = await network.call(method, path, { body: JSON.stringify(named) });
      t.ok([200, 201, 400].includes(answer.status), `${answer.status} ${JSON.stringify(named)}`);
      if (answer.status === 400 && answer.code === 'COULD_NOT_VALIDATE') {
        t.type(answer.cause?.['field'], 'string');
      }
      return answer;
    };
    const property = fc.asyncProperty(spoiled, spoiled, async (first, second) => {
      const made = await send('POST', 'M:/posture-checks', first);
      if (made.status !== 201) return;
      taken++;
      const path = `M:/posture-checks/${(made.data as { id: string }).id}`;
      await send('PUT', path, second);
      await send('PATCH', path, second);
      const { typeId, version } = await network.must<Record<string, unknown>>('GET', path);
      t.equal(typeId, first['typeId']);
      t.ok([1, 2, 3].includes(version as number));
    });
    await fc.assert(property, { numRuns: 40 });
    t.ok(taken > 0, `${taken} of 40 were made`);
    t.same(network.logged, []);
    await network.stop();
  });
}

/** Text that no schema describes is what it must be: ranges of versions, hex digits. */
function readable(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => readable(item, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, readable(of, key)]));
  }
  if (name === 'versions') return '>=10.0.1 || 7.x';
  return typeof value === 'string' && /^(macAddresses|hashes|signer)/.test(name)
    ? `${value}a`
    : value;
}

function spoil([body, at, value, chance]: [Record<string, unknown>, number, unknown, number]) {
  const names = Object.keys(body);
  const name = names[at % names.length];
  return chance === 0 || name === undefined ? body : { ...body, [name]: value };
}
