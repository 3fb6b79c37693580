// The controls with which a list or a setting is chosen: a filter and a select.

import { useEffect, useId, useState } from 'preact/hooks';

/** The filtered list, and its present filter. */
export interface FilterFormProps {
  /** Of the form, for screen readers. */
  readonly name: string;
  readonly value: string;
  readonly example: string;
  onApply(filter: string): void;
}

/** A filter that is typed, then applied by Enter or its button; the other button removes it. */
export function FilterForm({ name, value, example, onApply }: FilterFormProps) {
  const id = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const submit = (event: Event) => {
    event.preventDefault();
    onApply(text);
  };
  return (
    <form class="filter" aria-label={name} onSubmit={submit}>
      <label for={id}>Filter</label>
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

/** Values to choose among, each with its text. */
export interface SelectProps {
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  onChoose(value: string): void;
  readonly id?: string;
  readonly disabled?: boolean;
  readonly class?: string;
  readonly 'aria-label'?: string;
}

/** A select. */
export function Select({ options, onChoose, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** A select with its label above. */
export function Choice({ label, ...select }: SelectProps & { readonly label: string }) {
  const id = useId();
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <Select {...select} id={id} />
    </div>
  );
}
