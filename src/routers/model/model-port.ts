// What operations and inspections may ask of the running model, which is created after them.

/** Why a router is sent the whole model. */
export type FullStateReason =
  | 'it knew no model'
  | 'it knew a model of another time line'
  | 'its index is older than the change log'
  | 'its index is newer than that of the model'
  | 'it saw another part of the model'
  | 'most of what it sees has changed'
  | 'too much has changed'
  | 'access was rebuilt';

/** How far a router knows the model. */
export interface ModelStanding {
  /** The index that it was last sent or has told. */
  readonly index: number;
  readonly timelineId: string;
  /**
   * Changes that it lacks, 0 if it sees nothing of those after its index; undefined if it needs the
   * whole model.
   */
  readonly lag: number | undefined;
  /** When it was last sent the whole model, in wall-clock ms, and why. */
  readonly lastFull: { readonly atMs: number; readonly reason: FullStateReason } | undefined;
}

/** How a router's model differs from the controller's. */
export interface ModelDifference {
  readonly entityType: string;
  readonly entityId: string;
  readonly diffType: string;
  readonly detail: string;
}

/** A difference in words. */
export function differenceText(difference: ModelDifference): string {
  const { entityType, entityId, diffType, detail } = difference;
  return `${entityType} ${entityId}: ${diffType}${detail === '' ? '' : ` (${detail})`}`;
}

/** The answer of a router whose model was checked. */
export interface ModelCheck {
  /** Records by kind, as the router has them and as they should be. */
  readonly has: Readonly<Record<string, number>>;
  readonly needs: Readonly<Record<string, number>>;
  readonly differences: readonly ModelDifference[];
}

/** Why a model was not checked. */
export type ModelCheckRefusal = 'tooOften' | 'notSubscribed' | 'tooLarge' | 'noAnswer';

/** What the running model tells. */
export interface RunningModel {
  /** Undefined for a router that has not asked for the model. */
  standingOf(routerId: string): ModelStanding | undefined;
  /** Asks a router how its model differs. */
  check(routerId: string, timeoutMs: number): Promise<ModelCheck | ModelCheckRefusal>;
  readonly figures: ModelFigures;
}

/** What the model counts. */
export interface ModelFigures {
  readonly index: number;
  readonly timelineId: string;
  readonly subscribers: number;
  readonly groups: number;
  readonly changesKept: number;
  /** How large a model was that is too large to be sent; undefined while none is. */
  readonly tooLargeBytes: number | undefined;
}

/** Passes questions on to the running model. */
export class RouterModels {
  #running: RunningModel | undefined;

  /** Questions go there from now on. */
  serves(running: RunningModel): void {
    this.#running = running;
  }

  /** As `RunningModel.standingOf`. */
  standingOf(routerId: string): ModelStanding | undefined {
    return this.#running?.standingOf(routerId);
  }

  /** As `RunningModel.check`. */
  async check(routerId: string, timeoutMs: number): Promise<ModelCheck | ModelCheckRefusal> {
    return (await this.#running?.check(routerId, timeoutMs)) ?? 'notSubscribed';
  }

  /** As `RunningModel.figures`; undefined without a model. */
  get figures(): ModelFigures | undefined {
    return this.#running?.figures;
  }
}
