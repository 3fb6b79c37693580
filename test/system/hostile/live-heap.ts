// Ordinary work on a heap of which most is live for good: all of it is answered, for as long as it
// goes on. Only a fuller heap refuses records.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Answer,
  type Api,
  Client,
  client,
  createNetwork,
  logIn,
  management,
} from '../client.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { cheapHashes, startProcess, whenReady } from '../process.ts';
import { metricOf, smallHeap } from './memory.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

const heapMebibytes = 256;
/** Share of the heap that must be live all the time, and what records that stay are to fill. */
const liveShare = 0.7;
const filledShare = 0.72;
/** What is created for each step towards it. */
const ballastCharacters = 256 * 1024;
const workers = 8;
const sampleMs = 1000;
const password = 'some-password';

/** No bound of one caller is to be met: only memory is of interest. */
const limits = { writesPerSecondMax: 0 };

/** Works for so long on a heap that is filled first. */
export async function workOnLiveHeap(endings: Endings, seconds: number): Promise<Outcome> {
  const home = temporaryDirectory(endings, 'edge-control-live-heap-');
  const metrics = { listen: '127.0.0.1:0' };
  const config = { argon2: cheapHashes, tlsWorkers: 1, metrics, limits };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const program = smallHeap(heapMebibytes, 8);
  const serving = await whenReady(startProcess(endings, home, [], program), home);
  const http = new Client(serving.url, serving, workers);
  endings.teardown(() => http.close());
  const admin = await logIn(http);
  const limit = await metricOf(serving, 'edge_control_heap_limit_bytes');
  const live = () => metricOf(serving, 'edge_control_heap_live_bytes');
  const base = await live();
  const pieces = Math.ceil((limit * filledShare - base) / ballastCharacters);
  for (let i = 0; i < pieces; i++) {
    const tags = { text: String(i).padEnd(ballastCharacters, 'ballast ') };
    await admin.create('identities', {
      name: `ballast ${i}`,
      type: 'Default',
      isAdmin: false,
      tags,
    });
  }
  const [serviceId = ''] = await createNetwork(admin, 1);

  const untilMs = performance.now() + seconds * 1000;
  const tally: Tally = { answers: 0, refused: 0, unexpected: [], tookMs: [] };
  const working = Array.from({ length: workers }, async (_, worker) => {
    for (let round = 0; performance.now() < untilMs; round++) {
      await work(admin, `worker-${worker}-${round}`, serviceId, tally);
    }
  });
  const shares: number[] = [];
  while (performance.now() < untilMs) {
    shares.push((await live()) / limit);
    await new Promise((resolve) => setTimeout(resolve, sampleMs));
  }
  await Promise.all(working);
  const figures = {
    answers: tally.answers,
    refused: tally.refused,
    livePercentMedian: quantile(shares, 0.5) * 100,
    livePercentMost: Math.max(...shares) * 100,
    p99Ms: quantile(tally.tookMs, 0.99),
  };
  const failures = [
    ...tally.unexpected.slice(0, 10),
    ...unmet({
      'A record was refused for memory.': tally.refused === 0,
      'Less was live than was to be.': quantile(shares, 0.5) >= liveShare,
      'Nothing was answered.': tally.answers > 0,
    }),
  ];
  return { attack: 'work on a heap that is mostly live', figures, failures };
}

interface Tally {
  answers: number;
  refused: number;
  /** What was refused for another reason, in words. */
  readonly unexpected: string[];
  /** The last of the times, in ms. */
  readonly tookMs: number[];
}

const timesMax = 100_000;

/** One user's life: comes, logs in, works, leaves. */
async function work(admin: Api, name: string, serviceId: string, tally: Tally): Promise<void> {
  const ask = async (asked: Promise<Answer>): Promise<Answer> => {
    const began = performance.now();
    const answer = await asked;
    tally.tookMs[tally.answers++ % timesMax] = performance.now() - began;
    const code = String(answer.error['code']);
    if (answer.status >= 300 && code === 'MEMORY_LIMIT_REACHED') tally.refused++;
    else if (answer.status >= 300) tally.unexpected.push(`${answer.status} ${code}`);
    return answer;
  };
  const user = { name, type: 'Default', isAdmin: false };
  const { data } = await ask(admin.call('POST', `${management}/identities`, user));
  const id = String(data['id']);
  const secret = { method: 'updb', identityId: id, username: name, password };
  await ask(admin.call('POST', `${management}/authenticators`, secret));
  const body = { username: name, password };
  const login = await ask(
    admin.client.call('POST', `${client}/authenticate?method=password`, { body }),
  );
  const token = String(login.data['token']);
  const own = (method: 'GET' | 'POST' | 'DELETE', path: string, sent?: unknown) =>
    ask(admin.client.call(method, `${client}/${path}`, { token, body: sent }));
  await own('GET', 'services');
  await own('POST', 'sessions', { serviceId, type: 'Dial' });
  await own('POST', 'posture-response', { id: 'any', typeId: 'DOMAIN', domain: 'example.com' });
  await ask(admin.call('PATCH', `${management}/identities/${id}`, { tags: { name } }));
  await own('GET', 'current-api-session');
  await own('DELETE', 'current-api-session');
  await ask(admin.call('DELETE', `${management}/identities/${id}`));
}
