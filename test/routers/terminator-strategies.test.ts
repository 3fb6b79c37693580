// The choice of terminators: a table of cases, and a comparison with a naive model.

import t from 'tap';
import {
  createTerminatorStrategies,
  type TerminatorCandidate,
} from '../../src/routers/terminators/strategies.ts';
import fc from '../properties.ts';

type Strategy = Parameters<ReturnType<typeof createTerminatorStrategies>['choose']>[0]['strategy'];

/** `required 5+0+10`: precedence, then static, dynamic and path cost. */
function candidatesOf(texts: readonly string[]) {
  const dynamic = new Map<string, number>();
  const candidates = texts.map((text, at): TerminatorCandidate => {
    const [precedence = '', costs = ''] = text.split(' ');
    const [cost = 0, dynamicCost = 0, path = 0] = costs.split('+').map(Number);
    const id = 'abcdefgh'.charAt(at);
    dynamic.set(id, dynamicCost);
    if (precedence !== 'required' && precedence !== 'default' && precedence !== 'failed') {
      throw new RangeError(precedence);
    }
    return { terminator: { id, cost, precedence }, path: { cost: path } };
  });
  return { candidates, costs: { dynamicCost: (id: string) => dynamic.get(id) ?? 0 } };
}

/** Random bytes that stand for a fraction. */
function randomOf(fraction: number) {
  return {
    bytes(length: number) {
      const bytes = Buffer.alloc(length);
      bytes.writeUIntBE(Math.floor(fraction * 2 ** 48), 0, 6);
      return bytes;
    },
  };
}

function chosen(
  strategy: Strategy,
  texts: readonly string[],
  { fraction = 0, token }: { fraction?: number; token?: string } = {},
): string {
  const { candidates, costs } = candidatesOf(texts);
  const strategies = createTerminatorStrategies({ costs, random: randomOf(fraction) });
  const choice = strategies.choose({ strategy, candidates, stickinessToken: token });
  const { stickinessToken } = choice;
  const { id } = choice.candidate.terminator;
  return stickinessToken === undefined ? id : `${id} (${stickinessToken})`;
}

t.test('the cheapest of the best precedence', async (t) => {
  t.equal(chosen('smartrouting', ['default 0+0+0']), 'a');
  t.equal(chosen('smartrouting', ['default 5+0+0', 'default 1+0+3']), 'b');
  t.equal(chosen('smartrouting', ['default 0+20+0', 'default 19+0+0']), 'b');
  t.equal(chosen('smartrouting', ['default 0+0+0', 'required 65535+65535+130001']), 'b');
  t.equal(chosen('smartrouting', ['failed 0+0+0', 'default 65535+65535+130001']), 'b');
  t.equal(chosen('smartrouting', ['failed 9+0+0', 'failed 1+0+0']), 'b');
  t.equal(chosen('smartrouting', ['failed 0+0+0', `default 0+0+${2 ** 31}`]), 'b', 'its band');
  t.equal(chosen('', ['default 5+0+0', 'default 1+0+0']), 'b', 'the usual strategy');
});

t.test('random and weighted ones stay in the precedence of the cheapest', async (t) => {
  const mixed = ['failed 0+0+0', 'default 10+0+0', 'default 30+0+0', 'default 0+0+0'];
  t.equal(chosen('random', mixed, { fraction: 0 }), 'b');
  t.equal(chosen('random', mixed, { fraction: 0.5 }), 'c');
  t.equal(chosen('random', mixed, { fraction: 0.999 }), 'd');
  // Weights of 10, 30 and 1 of 41: 31/82, 11/82 and 40/82.
  t.equal(chosen('weighted', mixed, { fraction: 30.9 / 82 }), 'b');
  t.equal(chosen('weighted', mixed, { fraction: 31.1 / 82 }), 'c');
  t.equal(chosen('weighted', mixed, { fraction: 42.1 / 82 }), 'd');
  t.equal(chosen('weighted', mixed, { fraction: 0.999 }), 'd');
  t.equal(chosen('weighted', ['failed 0+0+0', 'default 7+0+0'], { fraction: 0.7 }), 'b');
});

t.test('sticky ones keep to the terminator of the token', async (t) => {
  const two = ['default 5+0+0', 'default 1+0+0', 'failed 0+0+0'];
  t.equal(chosen('sticky', two), 'b (b)');
  t.equal(chosen('sticky', two, { token: 'a' }), 'a (a)');
  t.equal(chosen('sticky', two, { token: 'c' }), 'b (b)', 'of another precedence');
  t.equal(chosen('sticky', two, { token: 'unknown' }), 'b (b)');
});

t.test('without candidates there is nothing to choose', async (t) => {
  t.throws(() => chosen('smartrouting', []), RangeError);
});

const quarter = Math.floor(4294967295 / 4);
const bands = { required: 0, default: quarter, failed: 2 * quarter };

t.test('a naive model chooses alike', async () => {
  const text = fc
    .tuple(
      fc.constantFrom('required', 'default', 'failed'),
      fc.nat(65535),
      fc.nat(65535),
      fc.oneof(fc.nat(200_000), fc.nat(2 ** 32)),
    )
    .map(([precedence, cost, dynamic, path]) => `${precedence} ${cost}+${dynamic}+${path}`);
  const strategy = fc.constantFrom<Strategy>('smartrouting', 'weighted', 'random', 'sticky');
  const fraction = fc.double({ min: 0, max: 0.9999, noNaN: true });
  const token = fc.option(fc.constantFrom(...'abcdefgh'), { nil: undefined });
  fc.assert(
    fc.property(
      ...([fc.array(text, { minLength: 1, maxLength: 8 }), strategy, fraction, token] as const),
      (texts, wanted, at, sticky) => {
        const { candidates, costs } = candidatesOf(texts);
        const sorted = candidates
          .map((one) => {
            const sum = one.terminator.cost + costs.dynamicCost(one.terminator.id) + one.path.cost;
            const cost = Math.min(sum, quarter - 1);
            return { id: one.terminator.id, cost, total: bands[one.terminator.precedence] + cost };
          })
          .sort((left, right) => left.total - right.total);
        const [first] = sorted;
        if (first === undefined) return false;
        const band = (total: number) => Math.floor(total / quarter);
        const group = sorted.filter(({ total }) => band(total) === band(first.total));
        const options = sticky === undefined ? { fraction: at } : { fraction: at, token: sticky };
        const [id = '', given] = chosen(wanted, texts, options).split(' ');
        const isSticky = wanted === 'sticky';
        if ((given === `(${id})`) !== isSticky) return false;
        if (wanted === 'smartrouting') {
          return sorted.find((one) => one.id === id)?.total === first.total;
        }
        if (isSticky && group.every((one) => one.id !== sticky)) {
          return sorted.find((one) => one.id === id)?.total === first.total;
        }
        if (isSticky) return id === sticky;
        return group.some((one) => one.id === id);
      },
    ),
  );
});

t.test('weights are as frequent as they say', async (t) => {
  const texts = ['default 10+0+0', 'default 30+0+0', 'default 60+0+0'];
  const counts = new Map<string, number>();
  for (let at = 0; at < 1000; at++) {
    const id = chosen('weighted', texts, { fraction: (at + 0.5) / 1000 });
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  t.same(Object.fromEntries(counts), { a: 450, b: 350, c: 200 });
});
