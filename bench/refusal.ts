// Refusals: requests that a controller did not serve as asked. Reports hold only these against it.

/** An answer that is not as it must be; its message says which. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Why something could not be measured, and whether the bench failed and not the controller. */
export function incapabilityOf(thrown: unknown): [reason: string, isFault: boolean] {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return [reason, !(thrown instanceof Refusal)];
}
