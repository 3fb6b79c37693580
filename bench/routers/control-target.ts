// The address of a controller for routers, and what they need to be accepted there.

import { readFileSync } from 'node:fs';
import { ApiClient } from '../api-client.ts';
import { clientKey } from '../client-key.ts';
import { Refusal } from '../refusal.ts';
import type { Target } from '../target.ts';

/** The controller that routers connect to. */
export interface ControlTarget {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** The CAs that it is trusted by, in PEM. */
  readonly ca: string;
  /** The key of all certificates, in PEM. */
  readonly keyPem: string;
}

/** The address that routers are told; its host is this machine. @throws Refusal if it is none */
export async function controlTargetOf(target: Target, adminToken: string): Promise<ControlTarget> {
  const { host, serverName, caFile = '' } = target;
  const admin = new ApiClient(target);
  admin.token = adminToken;
  const controllers = await admin.call('GET', '/edge/management/v1/controllers');
  const [{ ctrlAddress = '' } = {}] = controllers as readonly { readonly ctrlAddress?: string }[];
  const port = /^tls:.+:(\d+)$/.exec(ctrlAddress)?.[1];
  if (port === undefined) throw new Refusal(`routers are told the address "${ctrlAddress}"`);
  const { keyPem } = await clientKey();
  return { host, port: Number(port), serverName, ca: readFileSync(caFile, 'utf8'), keyPem };
}
