// Types that are printed: which types messages have, what is refused, and when they are printed.

import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { messageTypes } from '../../.ci/generate/messages.ts';
import { printTypes } from '../../.ci/printed-types.ts';

t.test('the types of messages', async (t) => {
  const text = messageTypes.print([
    `syntax = "proto3"; package a;
    enum Kind { ONE = 0; TWO = 1; }
    message Outer { message Inner { double d = 1; } Inner inner = 1; Kind kind = 2; }
    message All {
      repeated Outer.Inner list = 1; map<uint32, bytes> data = 2; bool is = 3; int64 at = 4;
    }`,
  ]);
  for (const part of [
    'type Kind = 0 | 1;',
    'interface Outer { inner?: a.Outer.Inner.$Properties | null; kind: a.Kind; }',
    'namespace Inner { interface $Properties { d?: number | null; } }',
    'list: a.Outer.Inner.$Properties[];',
    'data?: { [key: string]: Uint8Array } | null;',
    'is: boolean;',
    'at?: number | null;',
    'readonly Kind: { readonly ONE: 0; readonly TWO: 1; };',
    'readonly All: Codec<a.All.$Properties, a.All>;',
  ]) {
    t.ok(text.includes(part), part);
  }
  t.throws(
    () => messageTypes.print(['syntax = "proto3"; message A { oneof b { bool c = 1; } }']),
    /\.A\.c is one of several/,
  );
});

t.test('types are printed when their source has changed', async (t) => {
  const root = t.testdir({ src: { channel: { messages: {} } } });
  const target = join(root, messageTypes.file);
  const write = (field: string, writtenAt: number) => {
    for (const path of messageTypes.sources) {
      writeFileSync(join(root, path), `syntax = "proto3"; message ${letterOf(path)} { ${field} }`);
      utimesSync(join(root, path), writtenAt, writtenAt);
    }
  };
  printTypes(root);
  t.throws(() => readFileSync(target), 'there is no source');
  write('string a = 1;', 1_000_000_000);
  printTypes(root);
  t.match(readFileSync(target, 'utf8'), 'a: string;');
  writeFileSync(target, 'marked');
  printTypes(root);
  t.equal(readFileSync(target, 'utf8'), 'marked', 'they are up to date');
  write('bool a = 1;', 1_000_000_002);
  utimesSync(target, 1_000_000_001, 1_000_000_001);
  printTypes(root);
  t.match(readFileSync(target, 'utf8'), 'a: boolean;');
  rmSync(target);
  printTypes(root);
  t.match(readFileSync(target, 'utf8'), 'a: boolean;');
});

/** Two files declare two messages. */
function letterOf(path: string): string {
  return path.endsWith('edge.proto') ? 'E' : 'F';
}
