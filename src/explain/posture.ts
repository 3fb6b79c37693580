// The posture in an explanation: the result of each check for the identity at one of its endpoints.

import { isoTime } from '../declare/resources/view.ts';
import { evaluate } from '../posture/evaluate-check.ts';
import { reasonInWords } from '../posture/reason-texts.ts';
import type { Subject, Verdict } from '../posture/subject.ts';
import type { PostureCheckRecord } from '../records/posture-check.ts';
import type { Context } from '../resources/context.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { ExplainedCheck, ExplainedServicePolicy } from './schema.ts';
import { explainBounds } from './sentence-parts.ts';

/** The posture result for one type of access. */
export interface PostureOutcome {
  /** Null if no policy links the two, because nothing is checked then. */
  readonly isPassing: boolean | null;
  /** Wall-clock ms. */
  readonly failsAt: number | undefined;
}

/** Evaluates the checks of policies for one subject, each check once. */
export class EvaluatedChecks {
  readonly #context: Context;
  readonly #subject: Subject;
  readonly #verdicts = new Map<PostureCheckRecord, Verdict>();

  constructor(context: Context, subject: Subject) {
    this.#context = context;
    this.#subject = subject;
  }

  /** The part of an explanation about a policy's checks. */
  ofPolicy(slot: number): Pick<ExplainedServicePolicy, 'isPosturePassing' | 'postureChecks'> {
    const { env } = this.#context;
    const checks = env.posture.checksOf(slot);
    const failing = checks.filter((check) => !this.#verdict(check).isPassing);
    const passing = checks.filter((check) => this.#verdict(check).isPassing);
    const { explainChecksMax } = boundsOf(explainBounds, env.bounds);
    const shown = [...failing, ...passing].slice(0, explainChecksMax);
    return {
      isPosturePassing: failing.length === 0,
      postureChecks: { total: checks.length, shown: shown.map((check) => this.#explained(check)) },
    };
  }

  /** Whether one of the linking policies passes, and until when. */
  outcome(linking: readonly number[]): PostureOutcome {
    const { env, now } = this.#context;
    if (linking.length === 0) return { isPassing: null, failsAt: undefined };
    let last: number | undefined;
    for (const slot of linking) {
      if (!env.posture.passes(slot, this.#subject, now)) continue;
      const failsAt = this.#failsAt(slot);
      if (failsAt === undefined) return { isPassing: true, failsAt: undefined };
      last = Math.max(last ?? failsAt, failsAt);
    }
    return { isPassing: last !== undefined, failsAt: last };
  }

  #failsAt(slot: number): number | undefined {
    const times = this.#context.env.posture
      .checksOf(slot)
      .flatMap((check) => this.#verdict(check).failsAt ?? []);
    return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
  }

  #verdict(check: PostureCheckRecord): Verdict {
    let verdict = this.#verdicts.get(check);
    if (verdict === undefined) {
      verdict = evaluate(check, this.#subject, this.#context.now);
      this.#verdicts.set(check, verdict);
    }
    return verdict;
  }

  #explained(check: PostureCheckRecord): ExplainedCheck {
    const { isPassing, failsAt } = this.#verdict(check);
    const { id, name, typeId } = check;
    return {
      id,
      name,
      typeId,
      isPassing,
      why: reasonInWords(check, this.#subject, this.#context.now),
      failsAt: failsAt === undefined ? null : isoTime(failsAt),
    };
  }
}
