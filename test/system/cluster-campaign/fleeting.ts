// Records that are there, and then are gone: whichever way clients look for them, no answer may
// show one after another answer has shown that it is gone.

import { type Answer, type Api, client, logIn, management } from '../client.ts';

/** A way to look for a record. */
export interface Look {
  readonly path: string;
  readonly token: string;
  /** The value of the record in this answer; undefined if it should never be given. */
  read(answer: Answer): number | undefined;
}

/** A record whose value is 0 while it is there, and `gone` afterwards. */
export interface Fleeting {
  readonly record: string;
  readonly looks: readonly Look[];
  /** The path of its DELETE. */
  readonly path: string;
}

/** The value of a record that was deleted. */
export const gone = 1;

/** A configuration: by its own path, and by the count of a list. */
export async function fleetingConfig(
  admin: Api,
  config: { readonly name: string; readonly configTypeId: string },
): Promise<Fleeting> {
  const record = await admin.create('configs', { ...config, data: {} });
  const { token } = admin;
  const path = `${management}/configs/${record}`;
  const list = `${management}/configs?filter=${encodeURIComponent(`id = "${record}"`)}`;
  const looks: Look[] = [
    { path, token, read: ({ status }) => byStatus(status, 404) },
    { path: list, token, read: byCount },
  ];
  return { record, looks, path };
}

/** An API session, which looks for itself. */
export async function fleetingSession(admin: Api): Promise<Fleeting> {
  const { token, sessionId: record } = await logIn(admin.client);
  const path = `${client}/current-api-session`;
  const looks: Look[] = [{ path, token, read: ({ status }) => byStatus(status, 401) }];
  return { record, looks, path: `${management}/api-sessions/${record}` };
}

function byStatus(status: number, goneStatus: number): number | undefined {
  if (status === goneStatus) return gone;
  return status === 200 ? 0 : undefined;
}

function byCount({ status, meta }: Answer): number | undefined {
  if (status !== 200) return undefined;
  const { totalCount } = meta['pagination'] as { readonly totalCount: number };
  return [gone, 0][totalCount];
}
