// Chooses one of the terminators that a circuit can reach, by the strategy of the service
// (behaviour/control-channel#terminators).

import type { Random } from '../../platform/ports.ts';
import type { ServiceRecord } from '../../records/service.ts';
import type { TerminatorRecord } from '../../records/terminator.ts';
import type { Path, TerminatorCosts } from '../router-feature.ts';

/** A terminator that can be reached. */
export interface TerminatorCandidate {
  readonly terminator: Pick<TerminatorRecord, 'id' | 'cost' | 'precedence'>;
  readonly path: Pick<Path, 'cost'>;
}

/** What a terminator is chosen for. */
export interface TerminatorRequest<C extends TerminatorCandidate> {
  readonly strategy: ServiceRecord['terminatorStrategy'];
  /** At least one. */
  readonly candidates: readonly C[];
  /** The token that the client was given with an earlier circuit. */
  readonly stickinessToken: string | undefined;
}

/** The chosen terminator. */
export interface TerminatorChoice<C extends TerminatorCandidate> {
  readonly candidate: C;
  /** What the client is given for its next circuit; only the strategy `sticky` gives one. */
  readonly stickinessToken?: string | undefined;
}

/** Chooses terminators. */
export interface TerminatorStrategies {
  /** @throws RangeError without candidates. */
  choose<C extends TerminatorCandidate>(request: TerminatorRequest<C>): TerminatorChoice<C>;
}

/** The strategies of one controller. */
export function createTerminatorStrategies(options: {
  readonly costs: Pick<TerminatorCosts, 'dynamicCost'>;
  readonly random: Random;
}): TerminatorStrategies {
  const { costs, random } = options;
  const costOf = ({ terminator, path }: TerminatorCandidate): number =>
    Math.min(terminator.cost + costs.dynamicCost(terminator.id) + path.cost, bandCostMax);
  return {
    choose({ strategy, candidates, stickinessToken }) {
      const cheapest = cheapestOf(candidates, costOf);
      const { precedence } = cheapest.terminator;
      const equals = () => candidates.filter((one) => one.terminator.precedence === precedence);
      switch (strategy) {
        case 'smartrouting':
        case '':
          return { candidate: cheapest };
        case 'random':
          return { candidate: uniform(equals(), random) ?? cheapest };
        case 'weighted':
          return { candidate: weighted(equals(), costOf, random) ?? cheapest };
        case 'sticky': {
          const named = equals().find(({ terminator }) => terminator.id === stickinessToken);
          const candidate = named ?? cheapest;
          return { candidate, stickinessToken: candidate.terminator.id };
        }
      }
    },
  };
}

/** Ranks of precedences: any terminator of a lower rank comes before all of a higher one. */
const ranks: Readonly<Record<TerminatorRecord['precedence'], number>> = {
  required: 0,
  default: 1,
  failed: 2,
};

/** A quarter of the costs that 32 bits can express is the band of one precedence. @bound */
const bandCostMax = 1_073_741_822;

function cheapestOf<C extends TerminatorCandidate>(
  candidates: readonly C[],
  costOf: (candidate: C) => number,
): C {
  let best: C | undefined;
  let bestRank = 0;
  let bestCost = 0;
  for (const candidate of candidates) {
    const rank = ranks[candidate.terminator.precedence];
    const cost = costOf(candidate);
    if (best !== undefined && (rank > bestRank || (rank === bestRank && cost >= bestCost))) {
      continue;
    }
    best = candidate;
    bestRank = rank;
    bestCost = cost;
  }
  if (best === undefined) throw new RangeError('there is no terminator to choose');
  return best;
}

function uniform<C>(candidates: readonly C[], random: Random): C | undefined {
  return candidates[Math.floor(fraction(random) * candidates.length)];
}

/** The weight of each is 1 minus its share of the sum of all costs; a cost of 0 counts as 1. */
function weighted<C extends TerminatorCandidate>(
  candidates: readonly C[],
  costOf: (candidate: C) => number,
  random: Random,
): C | undefined {
  if (candidates.length <= 1) return candidates[0];
  const costs = candidates.map((candidate) => Math.max(1, costOf(candidate)));
  const sum = costs.reduce((left, right) => left + right, 0);
  // The weights of n candidates add up to n - 1.
  let left = fraction(random) * (candidates.length - 1);
  for (const [at, cost] of costs.entries()) {
    left -= 1 - cost / sum;
    if (left < 0) return candidates[at];
  }
  return candidates.at(-1);
}

/** A number from 0 up to but not including 1. */
function fraction(random: Random): number {
  return random.bytes(6).readUIntBE(0, 6) / 2 ** 48;
}
