// Which test files `npm test` leaves to `.ci/nightly`, so that somebody can wait for the rest.

import { isNightly } from '../campaigns.ts';

/** Test files that run at night, and what holds their subject by day. */
export const nightly: Readonly<Record<string, string>> = {
  'test/bench/closed-loop.test.ts': 'the smoke run of the bench in .ci/run',
  'test/bench/flow-loop.test.ts': 'the smoke run of the bench in .ci/run',
  'test/bench/generator-process.test.ts': 'the smoke run of the bench in .ci/run',
  'test/bench/micros.test.ts': 'the smoke run of the bench in .ci/nightly',
  'test/bench/open-loop.test.ts': 'the smoke run of the bench in .ci/run',
  'test/bench/pauses.test.ts': 'the smoke run of the bench in .ci/run',
  'test/bench/rival.test.ts': 'the smoke run of the bench in .ci/run',
  'test/bench/writing-client.test.ts': 'the smoke run of the bench in .ci/run',
  'test/channel/fleets.test.ts': 'the attacks of .ci/run, with smaller fleets',
  'test/ci/build.test.ts': '.ci/run, which installs a build',
  'test/ci/generate.test.ts': '.ci/run, which checks the generated files',
  'test/ci/runner.test.ts': '.ci/run, which is a run of it',
  'test/ci/site.test.ts': '.ci/run, which makes the site',
  'test/commands/declarative/agreement.test.ts':
    'test/commands/declarative/entry.test.ts and network-file.test.ts',
  'test/commands/declarative/round-trip.test.ts': 'test/commands/declarative/network-file.test.ts',
  'test/commands/network/rights.test.ts':
    'test/commands/network/operations.test.ts and test/contract/privileges',
  'test/contract/bounds/large.test.ts': 'test/contract/bounds/large-consequences.test.ts',
  'test/declare/large-offsets.test.ts': 'test/declare/lists.test.ts',
  'test/http/control-relay.test.ts': 'test/channel, and the routers of .ci/run',
  'test/http/framing.test.ts': 'the attacks of .ci/run',
  'test/http/relay.test.ts': 'test/http/server.test.ts, and the attacks of .ci/run',
  'test/http/tunnel-control.test.ts':
    'test/http/tunnel-peers.test.ts, and the NATS servers of .ci/run',
  'test/http/tunnels.test.ts': 'test/http/tunnel-links.test.ts, and the NATS servers of .ci/run',
  'test/model/publish.test.ts': 'test/commands/network/publish.test.ts',
  'test/system/admin-reset.test.ts': 'test/commands/offline',
  'test/system/api-tour.test.ts': 'test/contract, and the requests of the clients of .ci/run',
  'test/system/audit-feed.test.ts': 'test/inspect/audit-feed.test.ts, in one process',
  'test/system/backup-under-load.test.ts': 'test/commands/backup and test/crash',
  'test/system/bad-input.test.ts': 'test/contract/bad-input.test.ts, and the attacks of .ci/run',
  'test/system/certificates.test.ts': 'test/pki and test/contract/server-certificate.test.ts',
  'test/system/command-line.test.ts': 'test/commands, and test/system/tour.test.ts',
  'test/system/descriptors.test.ts': 'the attacks of .ci/run',
  'test/system/enroll-by-hand.test.ts': 'test/contract/enrollment, and the clients of .ci/run',
  'test/system/faults.test.ts': 'test/crash, with each fault at each call of a simulated disk',
  'test/system/found-by-home.test.ts': 'test/commands/backup/home-files.test.ts',
  'test/system/full-disk.test.ts': 'test/crash and test/snapshots, on a simulated disk',
  'test/system/hostile/flood.test.ts': 'the attacks of .ci/run',
  'test/system/inspect-stream.test.ts': 'test/inspect, and the browser of .ci/run',
  'test/system/integrity-run.test.ts': 'test/integrity',
  'test/system/looking.test.ts': 'test/commands/offline',
  'test/system/memory.test.ts': 'the attacks of .ci/run',
  'test/system/package.test.ts': 'test/packaging',
  'test/system/passing-causes.test.ts': 'test/commands and test/settings',
  'test/system/refused-start.test.ts': 'test/assembly/home-refusal.test.ts and test/settings',
  'test/system/restore.test.ts': 'test/commands/backup',
  'test/system/sigkill-in-snapshots.test.ts': 'test/system/sigkill.test.ts and test/crash',
  'test/system/stopped-node.test.ts': 'test/commands/cluster',
};

/** Of the files that somebody asks for without naming them, those that run now. */
export function byDay(files: readonly string[]): string[] {
  return files.filter((file) => isNightly || !Object.hasOwn(nightly, file));
}
