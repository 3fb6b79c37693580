// Orders that requests give to the running control plane.

/** The end of a circuit as a request orders it. */
export interface OrderedEnd {
  /** Whether routers drop what is under way. */
  readonly now: boolean;
  /** Id of the identity that orders it. */
  readonly actor: string;
}

type EndCircuit = (circuitId: string, end: OrderedEnd) => void;

/** Passes orders on to the parts of the control plane, which are created after the operations. */
export class FabricOrders {
  #endCircuit: EndCircuit | undefined;

  /** Orders to end circuits go to `end` from now on. */
  endsCircuits(end: EndCircuit): void {
    this.#endCircuit = end;
  }

  /** Ends a circuit. Must not be called while a transaction is open. */
  endCircuit(circuitId: string, end: OrderedEnd): void {
    this.#endCircuit?.(circuitId, end);
  }
}
