// A filter that is typed, then applied.

import { useEffect, useId, useState } from 'preact/hooks';

/** The filtered list, and its present filter. */
export interface FilterFormProps {
  readonly label: string;
  /** Of the form, for screen readers. */
  readonly name: string;
  readonly value: string;
  readonly example: string;
  onApply(filter: string): void;
}

/** Applied by Enter or its button; the other button takes it away. */
export function FilterForm({ label, name, value, example, onApply }: FilterFormProps) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const submit = (event: Event) => {
    event.preventDefault();
    onApply(text);
  };
  return (
    <form class="filter" aria-label={name} onSubmit={submit}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        value={text}
        placeholder={example}
        spellcheck={false}
        autoComplete="off"
        autoCapitalize="none"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">Apply</button>
      <button type="button" disabled={text === '' && value === ''} onClick={() => onApply('')}>
        Clear filter
      </button>
    </form>
  );
}
