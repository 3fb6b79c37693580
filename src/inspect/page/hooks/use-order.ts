// An order that a button sends to the controller, and its result.

import { useState } from 'preact/hooks';
import type { ApiRequest } from '../ask.ts';
import { usePage } from '../page-context.ts';

/** The state of an order. */
export interface Order {
  readonly isBusy: boolean;
  /** Why it was refused; empty when it was not. */
  readonly problem: string;
  /** Resolves with whether it was accepted. */
  give(path: string, request: ApiRequest): Promise<boolean>;
}

/** Sends orders, one at a time. */
export function useOrder(): Order {
  const { ask } = usePage();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  return {
    isBusy,
    problem,
    async give(path, request) {
      if (isBusy) return false;
      setBusy(true);
      setProblem('');
      try {
        await ask(path, request);
        return true;
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}
