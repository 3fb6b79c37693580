// The names of the OIDC provider (behaviour/oidc#issuers).

import t from 'tap';
import { Issuers } from '../../src/auth/oidc/issuers.ts';
import { makeCertificate } from '../simulated/certificates.ts';

const nowMs = Date.UTC(2026, 0, 1);

t.test('an origin holds until the names change', async (t) => {
  const certificateOf = async (name: string) =>
    (
      await makeCertificate({
        name,
        as: 'authority',
        keyType: 'ec-p256',
        alternativeNames: [{ type: 'dns', value: name }],
        nowMs,
      })
    ).certificate;
  let certificate = await certificateOf('one.example');
  const authorities = ['advertised.example:1280'];
  const issuers = new Issuers({
    certificate: () => certificate,
    authorities: () => authorities,
    ports: () => [],
  });
  const isOurs = (host: string) => issuers.originOf(host) !== undefined;
  for (let again = 0; again < 2; again++) {
    t.ok(isOurs('one.example:1280'));
    t.notOk(isOurs('two.example:1280'));
    t.notOk(isOurs('one.example:1281'));
  }
  certificate = await certificateOf('two.example');
  t.notOk(isOurs('one.example:1280'), 'the certificate was replaced');
  t.ok(isOurs('two.example:1280'));
  authorities.push('node.example:1281');
  t.ok(isOurs('node.example:1281'), 'a node has joined');
  authorities.pop();
  t.notOk(isOurs('node.example:1281'), 'and has left');
});

t.test('a name in every mixture of cases', async (t) => {
  const { certificate } = await makeCertificate({
    name: 'ca',
    as: 'authority',
    keyType: 'ec-p256',
    nowMs,
  });
  const issuers = new Issuers({
    certificate: () => certificate,
    authorities: () => ['advertised.example:1280'],
    ports: () => [],
  });
  for (let form = 0; form < 1024; form++) {
    const name = [...'advertised'].map((letter, at) =>
      (form >> at) & 1 ? letter.toUpperCase() : letter,
    );
    const origin = issuers.originOf(`${name.join('')}.example:1280`);
    if (origin !== 'https://advertised.example:1280') t.fail(name.join(''));
  }
  t.pass('all of them');
});
