// A circuit as events show it (behaviour/events#circuits).

import type { EventFields } from '../../observe/events.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import { terminatorKind } from '../../records/terminator.ts';
import type { Store } from '../../store/store.ts';
import { tagsOf } from './circuit-builds.ts';

/** What an event says of a circuit, whatever its kind. */
export function circuitEventFields(circuit: CircuitRecord, store: Store): EventFields {
  const { terminatorId, routers, links } = circuit;
  return {
    version: 2,
    circuit_id: circuit.id,
    client_id: circuit.identityId,
    service_id: circuit.serviceId,
    terminator_id: terminatorId,
    instance_id: store.table(terminatorKind).peek(terminatorId)?.record.identity ?? '',
    path: {
      nodes: routers,
      links,
      ingress_id: circuit.ingressId,
      egress_id: circuit.egressId,
    },
    link_count: links.length,
    tags: tagsOf(circuit),
  };
}
