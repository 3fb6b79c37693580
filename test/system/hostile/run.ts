// Attacks real controllers, each with honest clients beside the attackers, and says which of them
// did not hold: `node test/system/hostile/run.ts [WORD…]`, a step of `.ci/run`, with words of the
// names of attacks.
//
// `--seconds N` is how long each attack goes on. `--open-files N` is the limit on open files under
// the attack of one address. `--mixed SECONDS` makes all of them at once instead, with SIGKILLs in
// between, as `.ci/nightly` does for an hour. `--live-heap SECONDS` makes no attack: ordinary work
// goes on while 70% of the heap is live for good.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connect, logIn } from '../client.ts';
import { type Endings, runStep, serveOnce, temporaryDirectory } from '../endings.ts';
import { freePort } from '../free-ports.ts';
import { cheapHashes, type Serving, serve, startProcess, whenReady } from '../process.ts';
import { attackControlPort } from './control-port.ts';
import { attackDescriptors, fewDescriptors } from './descriptors.ts';
import { flood } from './flood.ts';
import { attackFraming } from './framing.ts';
import { attackHandshakes } from './handshakes.ts';
import { attackByLinkLies } from './link-lies.ts';
import { workOnLiveHeap } from './live-heap.ts';
import { attackMemory } from './memory.ts';
import { attackMixed } from './mixed.ts';
import { attackByModelRequests } from './model-requests.ts';
import { attackAuthorize, attackByForgedTokens } from './oidc-floods.ts';
import { attackFromOneAddress, type Holding } from './one-address.ts';
import { type Outcome, unmet } from './outcome.ts';
import { attackPasswords } from './passwords.ts';
import { attackRouters } from './routers.ts';

/** Makes one attack for so long, on a controller of its own. */
type Attack = (endings: Endings, seconds: number) => Promise<Outcome>;

const fewOpenFiles = 400;

/** By name, one behind the other, as they take all that the machine has. */
const attacks: Readonly<Record<string, Attack>> = {
  'unfinished handshakes': handshakes,
  descriptors,
  'wrong passwords': passwords,
  'flood of one client': floodOfOneClient,
  memory,
  'hostile routers': routers,
  'links that do not exist': linkLies,
  'requests for the model': modelRequests,
  'strangers at the control port': strangers,
  'flood of logins by OIDC': oidcLogins,
  'forged access tokens': forgedTokens,
  'one address, idle': oneAddress('idle'),
  'one address, half a body': oneAddress('half a body'),
  'one address, idle, few descriptors': oneAddress('idle', fewOpenFiles),
  'one address, half a body, few descriptors': oneAddress('half a body', fewOpenFiles),
};

/** Honest clients of the flood are answered within this, 99 times of 100. */
const honestP99MsMax = 1000;

/** How often an attack is made in which honest clients had to wait too long, until they do not. */
const attemptsMax = 3;

const { values, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '5' },
    // Room for some 550 connections, which an attacker fills in a second.
    'open-files': { type: 'string', default: '4000' },
    mixed: { type: 'string' },
    'live-heap': { type: 'string' },
  },
});

await runStep(async (endings) => {
  if (values.mixed !== undefined) return told(await attackMixed(endings, Number(values.mixed)));
  const workedSeconds = values['live-heap'];
  if (workedSeconds !== undefined)
    return told(await workOnLiveHeap(endings, Number(workedSeconds)));
  const seconds = Number(values.seconds);
  const isChosen = (name: string) =>
    chosen.length === 0 || chosen.some((word) => name.includes(word));
  const outcomes: Outcome[] = [];
  let framed: Promise<Outcome> | undefined;
  for (const [name, attack] of Object.entries(attacks)) {
    if (isChosen(name)) outcomes.push(await unlessSlow(attack, endings, seconds));
    // It mostly waits for connections to be closed, so it goes on beside the others.
    if (isChosen('framing of requests')) framed ??= framing(endings);
  }
  if (framed !== undefined) outcomes.push(await framed);
  if (outcomes.length === 0) throw new Error(`no attack is named ${chosen.join(' or ')}`);
  return outcomes.map(told).every((isHeld) => isHeld);
});

/** The last outcome counts: its times are failures, too. */
async function unlessSlow(attack: Attack, endings: Endings, seconds: number): Promise<Outcome> {
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attack(endings, seconds);
    const { failures, slow = [] } = outcome;
    if (slow.length === 0 || failures.length > 0 || attempts === attemptsMax) {
      return { ...outcome, failures: [...failures, ...slow] };
    }
    console.log(`made again: ${outcome.attack} ${words(outcome.figures)}: ${slow.join(' ')}`);
  }
}

function told({ attack, figures, failures }: Outcome): boolean {
  console.log(`${failures.length === 0 ? 'held' : 'NOT HELD'}: ${attack} ${words(figures)}`);
  for (const failure of failures) console.log(`  ${failure}`);
  return failures.length === 0;
}

function words(figures: Outcome['figures']): string {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${Math.round(value)}`);
  return shown.join(', ');
}

async function handshakes(endings: Endings, seconds: number): Promise<Outcome> {
  return await attacked(await ordinary(endings), (target) => attackHandshakes(target, seconds));
}

async function descriptors(endings: Endings, seconds: number): Promise<Outcome> {
  return await attacked(await limited(endings, fewOpenFiles), async (target) =>
    attackDescriptors(target, await logIn(connect(endings, target, 1)), seconds),
  );
}

function oneAddress(holding: Holding, openFiles?: number): Attack {
  return async (endings, seconds) => {
    const most = openFiles ?? Number(values['open-files']);
    return await attacked(await limited(endings, most), async (target) => {
      const outcome = await attackFromOneAddress(target, holding, seconds);
      return { ...outcome, figures: { openFiles: most, ...outcome.figures } };
    });
  };
}

/** A controller that may have so few open files. */
async function limited(endings: Endings, openFiles: number): Promise<Serving> {
  const home = temporaryDirectory(endings, 'edge-control-hostile-');
  writeFileSync(join(home, 'config.json'), JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1 }));
  return await whenReady(startProcess(endings, home, [], fewDescriptors(openFiles)), home);
}

async function routers(endings: Endings, seconds: number): Promise<Outcome> {
  return await attacked(await ordinary(endings), (target) =>
    attackRouters(endings, target, seconds),
  );
}

async function linkLies(endings: Endings, seconds: number): Promise<Outcome> {
  return await attacked(await ordinary(endings), (target) =>
    attackByLinkLies(endings, target, seconds),
  );
}

async function modelRequests(endings: Endings, seconds: number): Promise<Outcome> {
  return await attacked(await ordinary(endings), (target) =>
    attackByModelRequests(endings, target, seconds),
  );
}

async function strangers(endings: Endings, seconds: number): Promise<Outcome> {
  return await attacked(await ordinary(endings), (target) =>
    attackControlPort(endings, target, seconds),
  );
}

async function oidcLogins(endings: Endings, seconds: number): Promise<Outcome> {
  return await attacked(await ordinary(endings), (target) =>
    attackAuthorize(endings, target, seconds),
  );
}

/** There are so many of them, however long they take. */
async function forgedTokens(endings: Endings): Promise<Outcome> {
  return await attacked(await ordinary(endings), (target) => attackByForgedTokens(endings, target));
}

/** Hashes cost what they cost by default: cheap ones fill no queue. */
async function passwords(endings: Endings, seconds: number): Promise<Outcome> {
  const serving = await serve(endings, temporaryDirectory(endings, 'edge-control-hostile-'));
  return await attacked(serving, async (target) => {
    const { variants } = await attackPasswords(target, seconds);
    const [elsewhere, here] = variants.map(({ honest, flood: { attempts } }) => ({
      attempts,
      succeeded: honest.succeeded,
      slowestMs: honest.slowestMs,
      isHeld: honest.succeeded === honest.logins,
    }));
    const figures = {
      otherAttempts: elsewhere?.attempts ?? 0,
      otherSucceeded: elsewhere?.succeeded ?? 0,
      otherSlowestMs: elsewhere?.slowestMs ?? 0,
      ownAttempts: here?.attempts ?? 0,
      ownSucceeded: here?.succeeded ?? 0,
      ownSlowestMs: here?.slowestMs ?? 0,
    };
    const slow = unmet({
      'A login beside attackers of another address took over 2 s or failed.':
        elsewhere?.isHeld === true,
      'A login beside attackers of the same address took over 2 s or failed.':
        here?.isHeld === true,
    });
    return { attack: 'wrong passwords', figures, failures: [], slow };
  });
}

/** With buckets that a short flood uses up. */
async function floodOfOneClient(endings: Endings, seconds: number): Promise<Outcome> {
  const limits = {
    writesBurstMax: 500,
    filterStepsBurstMax: 200_000,
    filterStepsPerSecondMax: 10_000,
  };
  return await attacked(await ordinary(endings, { limits }), async (target) => {
    const { honest, failures, ...found } = await flood({ ...target, seconds });
    const refused = Object.values(found.flood).reduce((sum, counts) => sum + counts.refused, 0);
    const { sent, p50Ms, p99Ms, maxMs } = honest;
    const figures = { refused, honest: sent, p50Ms, p99Ms, maxMs };
    const slow = unmet({
      'The p99 of honest clients was not under 1 s.': p99Ms < honestP99MsMax,
    });
    return { attack: 'flood of one client', figures, failures, slow };
  });
}

async function memory(_: Endings, seconds: number): Promise<Outcome> {
  const found = await attackMemory(seconds);
  const { logins, certificates, refused, honest, failed, honestP99Ms } = found;
  const failures = unmet({
    'Nothing was refused, so the heap was not filled.': refused > 0,
    'The health check did not say that the heap is full.': found.isShown,
    'An honest client was not answered as it should be.': failed === 0 && honest > 0,
    'A start with the same heap did not get through.': found.isRestarted,
    'Deletions made no room.': found.isFreed,
  });
  const figures = { logins, certificates, refused, honest, failed, honestP99Ms };
  return { attack: 'memory', figures, failures };
}

async function framing(endings: Endings): Promise<Outcome> {
  const home = temporaryDirectory(endings, 'edge-control-hostile-');
  const port = await freePort();
  const limits = { silentTimeoutMs: 1500, bodyTimeoutMs: 1500 };
  writeFileSync(
    join(home, 'config.json'),
    JSON.stringify({ argon2: cheapHashes, tlsWorkers: 1, limits }),
  );
  const serving = await serve(endings, home, ['--direct-listen', `127.0.0.1:${port}`]);
  return await attacked(serving, async ({ url, ca }) => {
    const direct = `https://127.0.0.1:${port}`;
    const { sent, failures } = await attackFraming({ tls: url, direct, ca });
    return { attack: 'framing of requests', figures: { sent, wrong: failures.length }, failures };
  });
}

async function ordinary(endings: Endings, config: object = {}): Promise<Serving> {
  return await serveOnce(endings, temporaryDirectory(endings, 'edge-control-hostile-'), config);
}

/** Attacks a controller, which must stop cleanly afterwards. */
async function attacked(
  serving: Serving,
  attack: (target: Serving) => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await attack(serving);
  const { code, stderr } = await serving.process.stop();
  const errors = stderr.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line));
  const failures = [
    ...outcome.failures,
    ...(code === 0 ? [] : [`The controller ended with ${code}.`]),
    ...errors.slice(0, 5),
  ];
  return { ...outcome, failures };
}
