// Requests of programs on the WebSocket of the fabric API besides those for events
// (behaviour/events#the-websocket).

import { MalformedMessage } from '../../channel/channel-api.ts';
import { decodeMessage, encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { ApiError } from '../../errors/errors.ts';
import type { InspectEnvironment } from '../../inspect/server/context.ts';
import {
  inspectionBounds,
  inspectNodes,
} from '../../inspect/server/inspections/inspect-operation.ts';
import { type FabricAnswer, type FabricRequest, FabricRequestRefused } from './fabric-peer.ts';
import { fabricTypes, validations } from './fabric-types.ts';
import { validateLinks } from './validate-links.ts';
import { validateModel } from './validate-model.ts';
import { validateTerminators } from './validate-terminators.ts';

/** The requests by content type. */
export function fabricRequests(env: InspectEnvironment): ReadonlyMap<number, FabricRequest> {
  return new Map<number, FabricRequest>([
    [fabricTypes.inspect, (body) => inspect(env, body)],
    [fabricTypes.toggleTraces, noTraces],
    [fabricTypes.streamTraces, noTraces],
    ...Object.entries(validations).map(
      ([name, type]) => [type, async () => notValidated(name, type)] as const,
    ),
    [
      validations.terminators,
      async (body) => {
        const { filter, fixInvalid } = read(() =>
          decodeMessage(fabric.TerminatorValidationRequest, body),
        );
        return await validateTerminators(env, { filter, fixInvalid });
      },
    ],
    [
      validations['router-links'],
      async (body) => {
        const { filter } = read(() => decodeMessage(fabric.ValidationRequest, body));
        return validateLinks(env, filter);
      },
    ],
    [
      validations['router-data-model'],
      async (body) =>
        validateModel(
          env,
          read(() => decodeMessage(fabric.ModelValidationRequest, body)),
        ),
    ],
  ]);
}

/** In the form that tools wait for, so that they show the sentence. */
function notValidated(name: string, requestType: number): FabricAnswer {
  const message = `this controller does not validate ${name.replaceAll('-', ' ')}`;
  return {
    contentType: requestType + 1,
    body: encodeMessage(fabric.ValidationAnswer, { success: false, message, count: 0 }),
  };
}

async function inspect(env: InspectEnvironment, body: Buffer): Promise<FabricAnswer> {
  const { appRegex, requestedValues } = read(() =>
    decodeMessage(fabric.ProgramInspectRequest, body),
  );
  const { nameCharacters, names } = inspectionBounds;
  if (requestedValues.length > names) {
    throw new FabricRequestRefused(`more than ${names} values are requested`);
  }
  if (requestedValues.some(({ length }) => length > nameCharacters)) {
    throw new FabricRequestRefused('the name of a value is too long');
  }
  const { values, errors } = await inspected(env, appRegex, requestedValues);
  const answer = {
    success: errors.length === 0,
    errors: [...errors],
    values: values.map(({ appId, name, json }) => ({ appId, name, value: textOf(json) })),
  };
  return {
    contentType: fabricTypes.inspectResponse,
    body: encodeMessage(fabric.ProgramInspectResponse, answer),
  };
}

/** A text without its quotation marks, and anything else as JSON. */
function textOf(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}

async function inspected(...of: Parameters<typeof inspectNodes>) {
  try {
    return await inspectNodes(...of);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new FabricRequestRefused('too many inspections are under way');
  }
}

async function noTraces(): Promise<never> {
  throw new FabricRequestRefused('traces of messages are not recorded');
}

/** @throws FabricRequestRefused */
function read<Message>(decode: () => Message): Message {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof MalformedMessage)) throw error;
    throw new FabricRequestRefused('the body is no such request');
  }
}
