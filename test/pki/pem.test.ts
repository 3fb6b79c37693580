// The path from a certificate up to one of those that clients trust.

import t from 'tap';
import { issueCertificate } from '../../src/pki/authority/issue.ts';
import { chainTo } from '../../src/pki/x509/pem.ts';
import { type Made, makeCertificate } from '../simulated/certificates.ts';
import { seededRandom, startMs } from './context.ts';

function make(name: string, issuer?: Made, as: 'authority' | 'end' = 'authority'): Promise<Made> {
  const wanted = { name, as, keyType: 'ec-p256', nowMs: startMs } as const;
  return makeCertificate(issuer === undefined ? wanted : { ...wanted, issuer });
}

/** A root, two CAs below it, one below the other, and a certificate of the lower one. */
async function line(name: string) {
  const root = await make(`${name} root`);
  const upper = await make(`${name} upper`, root);
  const lower = await make(`${name} lower`, upper);
  const leaf = await make('leaf', lower, 'end');
  return { root, upper, lower, leaf };
}

function path(leaf: Made, file: readonly Made[], anchors: readonly Made[]) {
  const bare = (list: readonly Made[]) => list.map(({ certificate }) => certificate);
  return chainTo(leaf.certificate, bare(file), bare(anchors))?.map(String);
}

t.test('a path ends at the highest certificate that an anchor vouches for', async (t) => {
  const { root, upper, lower, leaf } = await line('ours');
  const theirs = await line('theirs');
  const impostor = await line('ours');
  const cases = [
    ['the root', [lower, upper], [root], [leaf, lower, upper]],
    ['the file in any order, with the root', [root, upper, lower], [root], [leaf, lower, upper]],
    ['the root and what is below it', [lower, upper], [lower, root, upper], [leaf, lower, upper]],
    ['only the issuer', [lower, upper, root], [lower], [leaf, lower]],
    ['the issuer, which is not in the file', [], [lower], [leaf]],
    ['the CA above the issuer', [lower, upper, root], [upper], [leaf, lower, upper]],
    ['the same, which is not in the file', [lower], [upper], [leaf, lower]],
    ['others beside it', [lower, upper], [theirs.root, root, theirs.lower], [leaf, lower, upper]],
    ['a gap', [upper], [root], undefined],
    ['another CA', [lower, upper, root], [theirs.root, theirs.upper, theirs.lower], undefined],
    ['equal names', [lower, upper, root], [impostor.root, impostor.lower], undefined],
    ['no anchor', [lower, upper, root], [], undefined],
  ] as const;
  for (const [name, file, anchors, expected] of cases) {
    t.same(
      path(leaf, file, anchors),
      expected?.map(({ pem }) => pem),
      name,
    );
  }
  t.same(path(root, [], [root]), [], 'a root needs nothing above it');
  t.same(path(lower, [], [lower]), [lower.pem], 'an anchor that is no root');
});

t.test('a root that another one has signed as well ends the path', async (t) => {
  const old = await make('old root');
  const root = await make('root');
  const crossed = issueCertificate(
    {
      commonName: 'root',
      publicKey: root.key,
      alternativeNames: [],
      notBeforeMs: startMs,
      notAfterMs: startMs + 1000,
      use: { as: 'authority', pathLength: 2 },
    },
    old,
    seededRandom('crossed'),
  );
  const lower = await make('lower', root);
  const leaf = await make('leaf', lower, 'end');
  const file = [lower, { ...root, certificate: crossed }];
  t.same(path(leaf, file, [root]), [leaf.pem, lower.pem]);
  t.same(path(leaf, file, [old]), [leaf.pem, lower.pem, String(crossed)]);
});
