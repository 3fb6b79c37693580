// How long commands of a network take, as a person feels them: from the start of the process to its
// end, against bare processes that do as little.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { identityBody, type Network } from '../network.ts';
import {
  type RatioGoal,
  type RatioMeasurement,
  type RatioTurn,
  ratioRow,
  takeTurns,
} from '../ratio.ts';
import type { RowOptions } from '../ratio-rows.ts';
import { grouped } from '../report/goal-line.ts';
import { created, number, post } from '../requests.ts';
import { administrator, nodePath } from '../server/controller-process.ts';
import { onStage, type Stage } from '../stage.ts';
import { program, type Timing, timed } from './timed-process.ts';

/** Rows of the list that is compared with curl, and what the command may add to it, in ms. */
const listRows = 100;
const listMoreMs = 300;
/** Identities of the list of which the memory is measured, and what it may take, in bytes. */
const longList = { full: 100_000, smoke: 500 };
const longListBytes = 200e6;

/** Measures all rows; each is told as soon as it is measured. */
export async function measureCommandTimes(
  { smoke, turns }: RowOptions,
  tell: (row: RatioMeasurement) => void,
): Promise<void> {
  const size = {
    identities: listRows,
    services: 20,
    visibleServices: 10,
    routers: 2,
    callers: 10,
    viewers: 1,
    apiSessionsEach: 1,
  };
  await onStage({ name: 'commands', size }, async (stage) => {
    const typist = new Typist(stage);
    try {
      for (const { goal, work, against } of comparisons(stage, typist)) {
        // Files that were never read before are slow.
        await takeTurns(1, work, against);
        tell(ratioRow(goal, await takeTurns(turns, work, against)));
      }
      tell(await longListMemory(stage.network, typist, { smoke, turns }));
    } finally {
      typist.leave();
    }
  });
}

async function longListMemory(
  { bulk, marks, adminToken }: Network,
  typist: Typist,
  { smoke, turns }: Pick<RowOptions, 'smoke' | 'turns'>,
): Promise<RatioMeasurement> {
  const count = smoke ? longList.smoke : longList.full;
  const body = identityBody(marks, 'listed-{{n}}', ['listed']);
  const path = '/edge/management/v1/identities';
  await bulk(count, post(path, adminToken, body, number), created('identities'));
  const memory: RatioTurn[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const { peakBytes, wrong } = await typist.types('list', 'identities', '-o', 'json');
    memory.push({ value: peakBytes / 1e6, base: longListBytes / 1e6, wrong });
  }
  const work = `list identities -o json, ${grouped(count)} of them`;
  return ratioRow({ work, against: '200 MB', figure: 'MB at the peak', goal: 1 }, memory);
}

interface Comparison {
  readonly goal: RatioGoal;
  readonly work: () => Promise<Timing>;
  readonly against: () => Promise<Timing>;
}

function comparisons(stage: Stage, typist: Typist): readonly Comparison[] {
  const figure = 'ms from start to end';
  const node = () => timed(nodePath, ['-e', '0']);
  const against = 'node -e 0';
  const started = [['--help'], ['version'], ['__complete', '--', 'get', 'identity', 'i']] as const;
  const requests = new Requests(stage);
  let published = 0;
  const rows = started.map((words) => ({
    goal: { work: words.join(' '), against, figure, goal: 3 },
    work: () => typist.types(...words),
    against: node,
  }));
  return [
    ...rows,
    {
      goal: {
        work: `list identities, ${listRows} rows, above the same request by curl`,
        against: `${listMoreMs} ms`,
        figure,
        goal: 1,
      },
      work: async () => above(await typist.types('list', 'identities'), await typist.curls()),
      against: async () => ({ value: listMoreMs, peakBytes: 0, wrong: 0 }),
    },
    {
      goal: {
        work: 'publish, above whoami',
        against: 'its seven requests over a kept connection',
        figure: 'ms',
        goal: 1.5,
        reason: 'it reads nine lists first, to say who gains what, and loads the code for that',
      },
      work: async () => {
        published += 1;
        const roles = ['--to', `to-${published}`, '--host-on', `on-${published}`];
        const words = [`p${published}.example:443`, ...roles, '--via', `via-${published}`, '--yes'];
        return above(await typist.types('publish', ...words), await typist.types('whoami'));
      },
      against: async () => {
        published += 1;
        return await requests.publish(published);
      },
    },
  ];
}

function above(one: Timing, other: Timing): Timing {
  return { ...one, value: one.value - other.value, wrong: one.wrong + other.wrong };
}

/** A person who types commands, beside the home of the controller. */
class Typist {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #directory = mkdtempSync(join(tmpdir(), 'bench-typist-'));
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#environment = {
      PATH: process.env['PATH'],
      HOME: this.#directory,
      EDGE_HOME: stage.controller.home,
      EDGE_ADMIN_PASSWORD: administrator.password,
    };
  }

  types(...words: string[]): Promise<Timing> {
    return timed(program, words, this.#environment);
  }

  /** The request of `list identities`. */
  curls(): Promise<Timing> {
    const { controller, network } = this.#stage;
    const { host, port, serverName, caFile } = controller;
    const url = `https://${serverName}:${port}/edge/management/v1/identities?limit=500`;
    const trust = ['--cacert', caFile, '--resolve', `${serverName}:${port}:${host}`];
    const token = ['-H', `zt-session: ${network.adminToken}`];
    return timed('curl', ['-sSf', ...trust, ...token, url]);
  }

  leave(): void {
    rmSync(this.#directory, { recursive: true });
  }
}

/** The creations of a publication, one after the other over one connection. */
class Requests {
  readonly #stage: Stage;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async publish(n: number): Promise<Timing> {
    const name = `by hand ${n}`;
    const beganAt = performance.now();
    const semantic = 'AnyOf';
    const [roles, service] = [[`#to-${n}`], [`#service-${n}`]];
    const intercept = {
      protocols: ['tcp'],
      addresses: ['a.example'],
      portRanges: [{ low: 443, high: 443 }],
    };
    const host = { protocol: 'tcp', address: 'a.example', port: 443 };
    const configs = [
      await this.#create('configs', { name, configTypeId: 'g7cIWbcGg', data: intercept }),
      await this.#create('configs', {
        name: `${name} host`,
        configTypeId: 'NH5p4FpGR',
        data: host,
      }),
    ];
    await this.#create('services', {
      name,
      encryptionRequired: true,
      configs,
      roleAttributes: [`service-${n}`],
    });
    for (const type of ['Dial', 'Bind']) {
      const policy = {
        name: `${name} ${type}`,
        type,
        semantic,
        identityRoles: roles,
        serviceRoles: service,
      };
      await this.#create('service-policies', policy);
    }
    const routers = { name, semantic, edgeRouterRoles: [`#via-${n}`] };
    await this.#create('edge-router-policies', { ...routers, identityRoles: roles });
    await this.#create('service-edge-router-policies', { ...routers, serviceRoles: service });
    return { value: performance.now() - beganAt, peakBytes: 0, wrong: 0 };
  }

  async #create(kind: string, body: object): Promise<string> {
    const { controller, network } = this.#stage;
    const { host, port, serverName, caFile } = controller;
    const sent = request({
      agent: this.#agent,
      host,
      port,
      servername: serverName,
      ca: readFileSync(caFile),
      method: 'POST',
      path: `/edge/management/v1/${kind}`,
      headers: {
        host: `${serverName}:${port}`,
        'content-type': 'application/json',
        'zt-session': network.adminToken,
      },
    });
    sent.end(JSON.stringify(body));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const said = await text(answer);
    if (answer.statusCode !== 201) throw new Error(`${kind}: ${said}`);
    return (JSON.parse(said) as { data: { id: string } }).data.id;
  }
}
