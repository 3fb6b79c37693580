// The formats of a cluster: what a build may write, and when an upgrade is final.

import t from 'tap';
import { changedLayouts } from '../../.ci/generate/layouts.ts';
import { buildFormats } from '../../src/assembly/cluster/build-formats.ts';
import {
  type BuildFormats,
  ClusterFormats,
  formatsObjection,
  lowestFormats,
} from '../../src/cluster/log/formats.ts';
import type { Formats } from '../../src/cluster/membership.ts';
import { StartProblem } from '../../src/errors/errors.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { SimulatedMembers } from '../simulated/members.ts';

const old: BuildFormats = {
  version: '1.0.0',
  reads: { log: 2, identity: 3 },
  writes: { log: 2, identity: 3 },
};
const next: BuildFormats = {
  version: '1.1.0',
  reads: { log: 2, identity: 4, planet: 1 },
  writes: { log: 2, identity: 3, planet: 1 },
};

function nodeOf(directory: SimulatedMembers, id: string, build: BuildFormats) {
  const members = directory.view();
  const written: Formats[] = [];
  const clock = new SimulatedClock(1_000_000);
  const formats = new ClusterFormats({ id, build, members, clock });
  return {
    formats,
    members,
    written,
    start: async () => {
      await formats.open();
      formats.follow((versions) => void written.push(versions));
      await members.put(memberOf(id, { version: build.version, formats: build.reads }));
    },
  };
}

t.test('the lowest of several builds', async (t) => {
  t.strictSame(lowestFormats([old.reads, next.reads]), { log: 2, identity: 3 });
  t.strictSame(lowestFormats([next.reads]), next.reads);
});

t.test('an upgrade, a step back, and its end', async (t) => {
  const directory = new SimulatedMembers();
  for (const id of ['a', 'b']) await nodeOf(directory, id, old).start();
  const [a, b] = [nodeOf(directory, 'a', next), nodeOf(directory, 'b', next)];
  await a.start();
  t.strictSame(a.written, [old.reads], 'a new build writes what the former reads');
  t.equal(
    await a.formats.finalize(),
    'b runs 1.0.0, which does not read what 1.1.0 writes (identity, planet): upgrade it, or remove it with edge-control cluster leave --node b.',
  );
  await nodeOf(directory, 'a', old).start();
  t.pass('the former build starts again');
  await a.start();
  await b.start();
  await b.formats.refresh();
  t.strictSame(b.written, [old.reads], 'that all read more changes nothing');
  t.equal(await a.formats.finalize(), undefined);
  await b.formats.refresh();
  t.strictSame(b.written, [old.reads, next.reads]);
  t.strictSame(a.written.at(-1), next.reads);
  await t.rejects(
    nodeOf(directory, 'b', old).start(),
    new StartProblem(
      'This program (1.0.0) does not read what the cluster writes: identity 4 (it reads 3), planet 1 (it reads 0). Its upgrade is final: install the release of the other nodes.',
    ),
  );
});

t.test('a node that is away, or newer, keeps an upgrade open', async (t) => {
  const directory = new SimulatedMembers();
  const a = nodeOf(directory, 'a', old);
  await a.start();
  await a.members.put(memberOf('b', { formats: next.reads, version: '1.1.0' }));
  t.match(
    await a.formats.finalize(),
    /^b runs 1\.1\.0, which reads newer formats than the 1\.0\.0/,
  );
  const c = nodeOf(directory, 'c', next);
  await c.start();
  await c.members.put(memberOf('a', { formats: old.reads, atMs: 100 }));
  t.match(await c.formats.finalize(), /^a is away, and ran 1\.0\.0, which does not read/);
});

t.test('a cluster that told of no formats gets the lowest of its members', async (t) => {
  const directory = new SimulatedMembers();
  await directory.view().put(memberOf('b', { formats: old.reads }));
  const a = nodeOf(directory, 'a', next);
  await a.start();
  t.strictSame(directory.formats, old.reads);
});

t.test('a build that is too new', async (t) => {
  const later: BuildFormats = { ...next, version: '3.0.0', writes: { log: 2, identity: 4 } };
  t.equal(
    formatsObjection(later, old.reads),
    'This program (3.0.0) cannot write what all nodes of the cluster read: identity 3 (it writes 4 and later). Install the release after theirs first, and end that upgrade with edge-control cluster finalize.',
  );
  t.equal(formatsObjection(next, old.reads), undefined, 'a new kind can be left out');
});

t.test('without contact the former formats stay', async (t) => {
  const a = nodeOf(new SimulatedMembers(), 'a', old);
  await a.start();
  a.members.isCut = true;
  await a.formats.refresh();
  t.strictSame(a.written, [old.reads]);
  await t.rejects(a.formats.finalize(), { name: 'StreamUnreachable' });
});

/**
 * The formats that the release before this one reads. They are those of this release, because it is
 * the first with clusters. A later release that raises a version changes this list.
 */
const previousReads: Formats = {
  log: 2,
  apiSession: 4,
  authenticator: 3,
  authPolicy: 2,
  ca: 2,
  circuitPath: 1,
  config: 1,
  configType: 2,
  edgeRouterPolicy: 1,
  enrollment: 2,
  externalJwtSigner: 2,
  followUp: 1,
  identity: 3,
  identityType: 1,
  integrityRun: 1,
  mfaEnrollment: 3,
  postureCheck: 1,
  postureCheckType: 1,
  postureData: 1,
  router: 3,
  service: 1,
  serviceEdgeRouterPolicy: 1,
  servicePolicy: 1,
  session: 1,
  sessionCertificate: 1,
  terminator: 2,
  wrongPasswords: 1,
};

t.test('this build can be installed beside the release before it', async (t) => {
  t.equal(formatsObjection(buildFormats(), previousReads), undefined);
  for (const name of Object.keys(previousReads)) t.ok(buildFormats().reads[name], name);
  t.same(changedLayouts(), [], 'a version that others read stays as it is');
});
