// One step of a login within its form: it is sent once, and has a result.

import { useState } from 'preact/hooks';
import { ApiProblem } from '../ask.ts';
import type { LogInStep } from '../log-in.ts';
import { usePage } from '../page-context.ts';

/** The data and functions of a login form. */
export interface LogInAttempt {
  readonly isBusy: boolean;
  /** Why it was refused; empty when it was not. */
  readonly problem: string;
  try(step: () => Promise<LogInStep>): Promise<void>;
}

/** Carries out steps, one at a time, and updates the session. */
export function useLogIn(): LogInAttempt {
  const { session } = usePage();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  return {
    isBusy,
    problem,
    async try(step) {
      if (isBusy) return;
      setBusy(true);
      setProblem('');
      try {
        const led = await step();
        if (led.step === 'factorOwed') session.send({ type: 'factorOwed', token: led.token });
        else session.send({ type: 'loggedIn', token: led.token, name: led.name });
      } catch (error) {
        setProblem(error instanceof ApiProblem ? error.message : String(error));
      }
      setBusy(false);
    },
  };
}
