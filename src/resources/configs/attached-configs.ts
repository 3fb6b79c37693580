// The rules for configs that a service or a router holds (behaviour/configs#targets,
// behaviour/configs#one-per-type).

import type { Body } from '../../declare/resources/resource.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { configKind } from '../../records/config.ts';
import { type ConfigTarget, configTypeKind } from '../../records/config-type.ts';
import type { Context } from '../context.ts';

/**
 * Checks the configs that a body gives; those that are stored already were checked.
 * @throws ApiError NOT_FOUND for an unknown config, COULD_NOT_VALIDATE for one whose type has
 *   another target, and for two of one type.
 */
export function checkAttachedConfigs(context: Context, body: Body, target: ConfigTarget): void {
  const { store } = context.env;
  const types = new Set<string>();
  for (const id of (body['configs'] ?? []) as readonly string[]) {
    const config = store.table(configKind).find(id)?.record;
    if (config === undefined) {
      const cause = { field: 'configs', reason: 'no config has this id', value: id };
      throw new ApiError('NOT_FOUND', { cause });
    }
    const { configTypeId } = config;
    refuseOtherTarget(context, { configTypeId, target, field: 'configs', value: id });
    if (types.has(configTypeId)) {
      throw fieldError('configs', 'holds two configs of one config type', id);
    }
    types.add(configTypeId);
  }
}

/** @throws ApiError COULD_NOT_VALIDATE for a config type whose configs belong elsewhere. */
export function refuseOtherTarget(
  { env }: Context,
  asked: {
    readonly configTypeId: string;
    readonly target: ConfigTarget;
    readonly field: string;
    readonly value: string;
  },
): void {
  const type = env.store.table(configTypeKind).find(asked.configTypeId)?.record;
  if (type === undefined || type.target === asked.target) return;
  const reason = `configs of ${type.name} have the target ${type.target}, not ${asked.target}`;
  throw fieldError(asked.field, reason, asked.value);
}
