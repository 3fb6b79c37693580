// What users of an overlay do in scenarios: dials, and flows that go on or end.

import { type MadeUser, until } from './network.ts';

/** Far more than a flow lives that is ended, and less than its reader waits for an answer. */
const endOfFlowMs = 5000;

/** Dials once, and passes bytes. @throws when that fails */
export async function dial(user: MadeUser, service = 'echo'): Promise<void> {
  await user.traffic.ask({ do: 'dial', service, times: 1 });
}

/** Dials until one succeeds. @throws the last failure when the time is over */
export async function dialWithin(user: MadeUser, limitMs: number, service = 'echo'): Promise<void> {
  let failure = '';
  const wanted = async () => {
    try {
      await dial(user, service);
      return true;
    } catch (thrown) {
      failure = String(thrown);
      return undefined;
    }
  };
  await until('a dial', limitMs, wanted).catch((thrown: unknown) => {
    throw new Error(`${String(thrown)}; ${failure}`);
  });
}

/** The flow makes more round trips from now on. */
export async function goesOn(user: MadeUser, name: string): Promise<void> {
  const { rounds } = await user.traffic.ask({ do: 'rounds', name });
  await until('bytes flow', 5000, async () =>
    (await user.traffic.ask({ do: 'rounds', name })).rounds > rounds + 5 ? true : undefined,
  );
}

/** Waits for the end of a flow. @returns after how many ms it came */
export async function ends(user: MadeUser, name: string): Promise<number> {
  return await passed(() =>
    until('the flow ends', endOfFlowMs, async () => user.traffic.ended.get(name)),
  );
}

/** @returns how many ms it took */
export async function passed(body: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await body();
  return Math.round(performance.now() - began);
}

/** @throws when a dial succeeds */
export async function mustFail(body: () => Promise<unknown>): Promise<void> {
  const hasFailed = await body().then(
    () => false,
    () => true,
  );
  if (!hasFailed) throw new Error('a dial succeeded that must not');
}
