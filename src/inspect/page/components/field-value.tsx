// The value of a field of a record; of a long one, its beginning, and the rest when it is opened.

import { formatValue } from '../format.ts';

/** So much is read at a glance. */
const charactersMax = 400;
const linesMax = 12;
const beginningMax = 100;

/** A value as text. */
export function FieldValue({ value }: { readonly value: unknown }) {
  const text = formatValue(value);
  const isShort = text.length <= charactersMax && text.split('\n').length <= linesMax;
  if (isShort) return <>{text}</>;
  const beginning = text.slice(0, beginningMax).replace(/\s+/g, ' ');
  return (
    <details>
      <summary>{beginning}…</summary>
      {text}
    </details>
  );
}
