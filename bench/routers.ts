// The scenes with routers: a fleet that comes back and rests, and routers that carry traffic.

import { Lacking } from '../test/system/endings.ts';
import { outDirectory } from './home.ts';
import type { HomeRun } from './local-homes.ts';
import { bytesEach, forNothingEach, routersOf } from './report/router-goals.ts';
import { measureAccessEndings } from './routers/access-endings.ts';
import { measureFleets } from './routers/reconnect.ts';
import { measureSharedLogins } from './routers/shared-logins.ts';
import { onTrafficStage } from './routers/traffic-stage.ts';
import { measureRouterWork } from './routers/work-rows.ts';

/** A large fleet after a restart of the controller, and at rest. */
export async function measureRouterFleet({ options, found, progress }: HomeRun): Promise<void> {
  const profileDirectory = options.profiled ? `${outDirectory}/profiles` : undefined;
  const title = 'a fleet of routers after a restart of the controller';
  progress(title);
  try {
    found.fleets.push(...(await measureFleets(options.smoke, profileDirectory)));
  } catch (thrown) {
    if (!(thrown instanceof Lacking)) throw thrown;
    const sentence = `Not measured: ${title}, because ${thrown.message}.`;
    progress(`  ${sentence}`);
    found.leftOut.push(sentence);
  }
  for (const made of found.fleets) {
    const { backOff, lastHelloMs, allSyncedMs, othersMs, restCores, syncCpu, wrongSamples } = made;
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    progress(
      `  ${routersOf(made)} routers, ${backOff} back-off: last hello after ${seconds(lastHelloMs)} s, ` +
        `synced after ${seconds(allSyncedMs)} s, ${forNothingEach(made).toFixed(2)} attempts for ` +
        `nothing each, p99 of others ${othersMs.p99.toFixed(1)} ms`,
    );
    progress(
      `  CPU of the fleet ${(syncCpu.fleetMs / syncCpu.serverMs).toFixed(2)} of the controller's, ` +
        `at rest ${restCores.toFixed(3)} cores, ${(bytesEach(made) / 1000).toFixed(0)} KB each`,
    );
    for (const sample of wrongSamples) progress(`  wrong: ${sample}`);
  }
}

/** Circuits, terminators, logins, and rights that are taken away. */
export async function measureTraffic({ options, found, progress }: HomeRun): Promise<void> {
  const { smoke, measureMs, profiled } = options;
  const profileDirectory = profiled ? `${outDirectory}/profiles` : undefined;
  progress('routers that carry traffic');
  await onTrafficStage({ smoke, measureMs, profileDirectory }, async (stage) => {
    for (const work of await measureRouterWork(stage)) {
      found.routerWork.push(work);
      const { perSecond, createMicros, wrongSample = '' } = work;
      progress(
        `  ${work.work}: ${perSecond.toFixed(0)}/s, ${createMicros.toFixed(0)} µs CPU ${wrongSample}`,
      );
    }
    for (const logins of await measureSharedLogins(stage)) {
      found.sharedLogins.push(logins);
      const { connections, routers, ratio } = logins;
      progress(
        `  logins with ${routers} shared routers, ${connections}: ${ratio.toFixed(2)} times the CPU`,
      );
    }
    for (const ending of await measureAccessEndings(stage)) {
      found.accessEndings.push(ending);
      const { title, lastToldMs, pauses } = ending;
      progress(
        `  ${title}: last told after ${lastToldMs.toFixed(0)} ms, ` +
          `longest pause ${pauses.longestOwnMs.toFixed(1)} ms`,
      );
    }
  });
}
