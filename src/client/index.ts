// The exports of `edge-control/client`.

export {
  type ApiSession,
  ControllerClient,
  type ControllerOptions,
  type Login,
} from './controller-client.ts';
export type { FeedEvent } from './event-stream.ts';
export type {
  components as ClientComponents,
  paths as ClientPaths,
} from './generated/client.d.ts';
export type {
  components as FabricComponents,
  paths as FabricPaths,
} from './generated/fabric.d.ts';
export type {
  components as ManagementComponents,
  paths as ManagementPaths,
} from './generated/management.d.ts';
export { answered, ControllerUnreachable, RequestRefused } from './request-refused.ts';
export type { ListPath, ListQuery, RowOf } from './rows.ts';
