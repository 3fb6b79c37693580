// Lists of records that refer to a config or a config type (behaviour/configs).

import Type from 'typebox';
import type { Operation } from '../../declare/operation.ts';
import { subList } from '../../declare/sub-list.ts';
import { configKind } from '../../records/config.ts';
import { serviceKind } from '../../records/service.ts';
import { services } from '../services/service.ts';
import { configs } from './config.ts';
import { configTypes } from './config-type.ts';

/** `/config-types/{id}/configs` and `/configs/{id}/services` */
export const configLists: readonly Operation[] = [
  subList({
    id: 'listConfigsForConfigType',
    of: configTypes,
    lists: configs,
    summary: 'List the configs of a config type',
    rows: (context, { record }) => ({
      form: 'rows',
      rows: context.env.store.table(configKind).members('configTypeId', record.id),
    }),
  }),
  subList({
    id: 'listConfigServices',
    of: configs,
    lists: services,
    summary: 'List the services that a config is attached to',
    query: { configTypes: Type.Array(Type.String()) },
    rows: (context, { record }) => ({
      form: 'rows',
      rows: context.env.store.table(serviceKind).members('configs', record.id),
    }),
  }),
];
