// Bodies that are not UTF-8, in every place where a body is text.

import t from 'tap';
import { parseJson, refuseOtherThanUtf8 } from '../../src/http/application/json-body.ts';
import { bootNetwork } from '../simulated/network.ts';

const wrong: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['a byte of no character', Buffer.from([0x22, 0xff, 0x22])],
  ['half a character', Buffer.from([0x22, 0xc3, 0x22])],
  ['too long a form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['half a surrogate pair', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['Latin-1', Buffer.from('"caf\xe9"', 'latin1')],
  ['UTF-16', Buffer.from('\ufeff"a"', 'utf16le')],
];

t.test('bytes that are not UTF-8 are refused', async (t) => {
  for (const [name, bytes] of wrong) {
    t.throws(() => refuseOtherThanUtf8(bytes), { code: 'COULD_NOT_PARSE_BODY' }, name);
  }
  t.doesNotThrow(() => refuseOtherThanUtf8(Buffer.alloc(0)));
  t.equal(parseJson(Buffer.from('"café \u{1f600}"'), 4), 'café \u{1f600}');
});

t.test('operations answer 400 for them, whatever they read the body as', async (t) => {
  const network = await bootNetwork();
  const expected = { status: 400, code: 'COULD_NOT_PARSE_BODY' };
  for (const [name, bytes] of wrong) {
    t.match(await network.call('POST', 'M:/services', { body: bytes }), expected, name);
  }
  const text = { body: wrong[0]?.[1], headers: { 'content-type': 'text/plain' } };
  t.match(await network.call('POST', 'M:/cas/nothing/verify', text), expected);
  await network.stop();
});
