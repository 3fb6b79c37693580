// Dials that failed, as circuits of kind `failed` (behaviour/events#circuits).

import type { EventFields, EventSink } from '../../observe/events.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import { circuitEventFields } from '../../routers/circuits/circuit-event.ts';
import type { FailedDial, FailedDials } from '../../routers/failed-dials.ts';
import type { Store } from '../../store/store.ts';

/** Tells of each dial that fails from now on. */
export function tellOfFailedDials(
  failedDials: Pick<FailedDials, 'onFailure'>,
  events: EventSink,
  store: Store,
): void {
  failedDials.onFailure((dial, circuit) => {
    if (events.wants('circuit')) events.tell('circuit', failedFields(dial, circuit, store));
  });
}

function failedFields(
  dial: FailedDial,
  circuit: CircuitRecord | undefined,
  store: Store,
): EventFields {
  const common = { event_type: 'failed', failure_cause: dial.cause };
  if (circuit === undefined) return { ...common, ...withoutCircuit(dial) };
  const creation_timespan = (dial.at - circuit.createdAt) * nsPerMs;
  return {
    ...common,
    ...circuitEventFields(circuit, store),
    instance_id: dial.instanceId,
    creation_timespan,
  };
}

/** It was refused before a path was chosen, at the router of the client. */
function withoutCircuit({ identityId, serviceId, instanceId, routerId }: FailedDial): EventFields {
  return {
    version: 2,
    circuit_id: '',
    client_id: identityId,
    service_id: serviceId,
    terminator_id: '',
    instance_id: instanceId,
    creation_timespan: 0,
    path: { nodes: [routerId], links: [], ingress_id: '', egress_id: '' },
    link_count: 0,
    tags: { serviceId, clientId: identityId, hostId: '' },
  };
}

const nsPerMs = 1_000_000;
