// What is known of a router while its control channel is up, and what is shown while it is not.

import type { Context } from '../../declare/operation.ts';
import type { RouterHello } from '../../ports.ts';

/**
 * The data from a router's control channel, or the substitute while there is none
 * (behaviour/routers#connection).
 */
export function presenceOf(
  { env }: Pick<Context, 'env'>,
  id: string,
): RouterHello & { readonly isOnline: boolean; readonly syncStatus: string } {
  const hello = env.presence.hello(id);
  return hello === undefined ? offline : { ...hello, isOnline: true, syncStatus: 'SYNC_DONE' };
}

const offline = {
  isOnline: false,
  syncStatus: 'SYNC_UNKNOWN',
  hostname: '',
  supportedProtocols: {},
  version: { arch: '', buildDate: '', os: '', revision: '', version: '' },
};
