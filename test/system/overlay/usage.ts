// What the controller has counted of the bytes that a scenario sends.

import type { UsageSums } from '../../../src/records/usage.ts';
import { usageSumNames } from '../../../src/routers/usage/usage-sums.ts';
import type { Api } from '../client.ts';
import { until } from './network.ts';

/** Routers count by the minute, and report a minute some time after its end. */
const countedWithinMs = 240_000;
/** By which part counted bytes may differ: a client encrypts, and dials add some. */
const toleranceShare = 0.01;

/** The bytes of a service in all hours. */
export async function countedOf(admin: Api, serviceId: string): Promise<UsageSums> {
  const rows = await admin.all(`services/${serviceId}/usage`);
  const sum = (name: keyof UsageSums) => rows.reduce((all, row) => all + Number(row[name]), 0);
  const [clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes] =
    usageSumNames.map(sum);
  return {
    clientSentBytes: clientSentBytes ?? 0,
    clientReceivedBytes: clientReceivedBytes ?? 0,
    hostSentBytes: hostSentBytes ?? 0,
    hostReceivedBytes: hostReceivedBytes ?? 0,
  };
}

/** Waits until as many bytes as went there and back are counted at both ends. */
export async function isCounted(admin: Api, serviceId: string, bytes: number): Promise<string> {
  let last: UsageSums | undefined;
  const look = async () => {
    last = await countedOf(admin, serviceId);
    const isWhole = usageSumNames.every(
      (name) => (last?.[name] ?? 0) >= bytes * (1 - toleranceShare),
    );
    return isWhole ? last : undefined;
  };
  const counted = await until('usage is counted', countedWithinMs, look).catch(
    (thrown: unknown) => {
      throw new Error(`${String(thrown)}; ${JSON.stringify(last)}`);
    },
  );
  isCountedOnce(counted, bytes);
  return JSON.stringify(counted);
}

/** @throws when more was counted than went there and back */
export function isCountedOnce(counted: UsageSums, bytes: number): void {
  for (const name of usageSumNames) {
    if (counted[name] <= bytes * (1 + toleranceShare)) continue;
    throw new Error(`${name} is ${counted[name]} after ${bytes} bytes`);
  }
}
