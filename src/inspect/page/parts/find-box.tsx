// Finds an instance by kind, id, name or state: a combobox that asks while one types.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useFind } from '../hooks/use-find.ts';
import { useSelected } from '../hooks/use-selected.ts';
import { usePage } from '../page-context.ts';
import { FoundList } from './found-list.tsx';

/** The box of the header; `/` leads to it from anywhere. */
export function FindBox() {
  const [kind, setKind] = useState('');
  const { text, found, active, isShown, type, open, press, choose } = useFind(kind);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  useSlash(input);
  return (
    <search class="find">
      <KindSelect kind={kind} onKind={setKind} />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Find"
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-activedescendant={isShown && active >= 0 ? `${listId}-${active}` : undefined}
        placeholder="Name, id, state or filter"
        title='A piece of a name, an id, or a filter such as state = "partial"'
        spellcheck={false}
        autoComplete="off"
        autoCapitalize="none"
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onFocus={() => open(true)}
        onBlur={() => open(false)}
        onKeyDown={press}
      />
      <FoundList id={listId} found={found} isShown={isShown} active={active} onChoose={choose} />
    </search>
  );
}

function KindSelect({ kind, onKind }: { readonly kind: string; onKind(kind: string): void }) {
  const { machines } = usePage();
  const known = useSelected(machines, (state) => state.machines);
  return (
    <select
      aria-label="Kind to find in"
      value={kind}
      onChange={(event) => onKind(event.currentTarget.value)}
    >
      <option value="">All kinds</option>
      {known?.map(({ id }) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  );
}

/** Where nothing else is being typed into. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [input]);
}
