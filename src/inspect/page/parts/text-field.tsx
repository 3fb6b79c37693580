// A line of text with its label above.

import { useEffect, useId, useRef } from 'preact/hooks';

/** What the field is for. */
export interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  /** Shown as dots. */
  readonly isSecret?: boolean;
  readonly autoComplete: string;
  /** Takes the focus when it appears. */
  readonly isFirst?: boolean;
  onValue(value: string): void;
}

/** A labelled field. */
export function TextField({ label, isFirst = false, isSecret = false, ...rest }: TextFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const { onValue, ...given } = rest;
  useEffect(() => {
    if (isFirst) input.current?.focus();
  }, [isFirst]);
  const attributes = {
    ...given,
    id,
    ref: input,
    required: true,
    spellcheck: false,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      onValue(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {isSecret ? (
        <input type="password" {...attributes} />
      ) : (
        <input type="text" autoCapitalize="none" {...attributes} />
      )}
    </div>
  );
}
