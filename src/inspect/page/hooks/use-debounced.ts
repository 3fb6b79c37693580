// A value that is updated once it no longer changes.

import { useEffect, useState } from 'preact/hooks';

/** `value` as it was when it had stayed the same for `delayMs`. */
export function useDebounced<Value>(value: Value, delayMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}
