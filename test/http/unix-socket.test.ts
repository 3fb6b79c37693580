// The place of the Unix socket, also where its path is too long.

import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { unixSocketPlace } from '../../src/http/server/unix-socket.ts';
import { get, run, until } from './harness.ts';

t.test('the directory is closed to others, and an old socket is removed', async (t) => {
  // Shorter than what t.testdir() gives.
  const directory = mkdtempSync(join(tmpdir(), 'http-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, 'http.sock'), '');
  const place = unixSocketPlace(directory, 'http.sock');
  t.equal(place.path, join(directory, 'http.sock'));
  t.equal(statSync(directory).mode & 0o777, 0o700);
  t.equal(existsSync(place.path), false);
  place.release();
});

t.test('a path over 107 bytes is served by way of a descriptor', async (t) => {
  const directory = join(t.testdir(), 'long-'.repeat(30), 'name-'.repeat(20));
  const place = unixSocketPlace(directory, 'probe.sock');
  t.match(place.path, /^\/proc\/self\/fd\/\d+\/probe\.sock$/);
  place.release();
  const other = openSync(directory, 'r');
  t.equal(
    place.path,
    `/proc/self/fd/${other}/probe.sock`,
    'the descriptor belongs to another file',
  );
  place.release();
  t.ok(fstatSync(other).isDirectory(), 'which a second release leaves open');
  closeSync(other);
  const running = await run({ directory });
  const client = await running.open();
  client.write(get('/'));
  await until(client, (text) => text.endsWith('hello'));
  client.destroy();
  await running.stop();
});
