// What an account at NATS may keep, as entries of nodes can hold it.

import t from 'tap';
import { accountBound } from '../../../src/cluster/nats/account-bound.ts';

const of = 'The account at NATS';

t.test('an account counts each copy', (t) => {
  const account = { storage: 700, limits: { max_storage: 1000 } };
  t.same(accountBound(account, 3), { of, usedBytes: 700, bytesMax: 1000, copies: 3 });
  t.match(accountBound({ limits: { max_storage: 1000 } }, 1), { usedBytes: 0, copies: 1 });
  t.end();
});

t.test('an account may have a limit of its own for streams with as many copies', (t) => {
  const tiers = {
    R1: { storage: 1, limits: { max_storage: 10 } },
    R5: { storage: 5, limits: { max_storage: 50 } },
  };
  const account = { storage: 6, limits: {}, tiers };
  t.same(accountBound(account, 5), { of, usedBytes: 5, bytesMax: 50, copies: 5 });
  t.equal(accountBound(account, 3), undefined);
  t.end();
});

t.test('what is no number of bytes is no bound', (t) => {
  for (const bytes of [-1, 0, 2 ** 63, 0.5, '1000', null, undefined]) {
    t.equal(accountBound({ storage: 7, limits: { max_storage: bytes } }, 1), undefined);
  }
  for (const storage of [-1, 2 ** 63, 'full', {}]) {
    t.equal(accountBound({ storage, limits: { max_storage: 1000 } }, 1), undefined);
  }
  for (const told of [undefined, null, 'full', {}]) t.equal(accountBound(told, 1), undefined);
  t.end();
});
