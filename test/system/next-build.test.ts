// The next release that the nightly checks upgrade to can be made of these sources.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { Kind } from '../../src/declare/kinds/kind.ts';
import { identityKind } from '../../src/records/identity.ts';
import { Endings } from './endings.ts';
import { newField, nextBuild } from './nats/next-build.ts';

for (const skips of [false, true]) {
  t.test(skips ? 'the release after the next one' : 'the next release', async (t) => {
    const endings = new Endings();
    t.teardown(() => endings.run());
    const program = nextBuild(endings, skips);
    const [node = '', ...flags] = program;
    const { stdout } = spawnSync(node, [...flags, 'version'], { encoding: 'utf8' });
    t.match(stdout, /-next$/m);
    const main = flags.at(-1) ?? '';
    const records = join(dirname(main), 'records/identity.ts');
    const { identityKind: next } = (await import(records)) as { identityKind: Kind };
    const { version } = identityKind.codec;
    t.ok(next.fieldNames.includes(newField));
    t.equal(next.codec.version, version + 1);
    t.equal(next.codec.oldestWritten === next.codec.version, skips, 'what older releases read');
  });
}
