// Finds an instance by kind, id, name or state: a combobox that asks while one types.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { usePage, useSelected } from '../page-context.ts';
import { hashOf } from '../route.ts';
import { Select } from './form-controls.tsx';
import { StateMark } from './states.tsx';
import { type Find, useFind } from './use-find.ts';

/** The box of the header; `/` leads to it from anywhere. */
export function FindBox() {
  const [kind, setKind] = useState('');
  const find = useFind(kind);
  const { text, active, isShown, type, open, press } = find;
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
      <FoundList id={listId} find={find} />
    </search>
  );
}

function KindSelect({ kind, onKind }: { readonly kind: string; onKind(kind: string): void }) {
  const { machines } = usePage();
  const known = useSelected(machines, (state) => state.machines);
  const kinds = known?.map(({ id }) => [id, id] as const) ?? [];
  return (
    <Select
      aria-label="Kind to find in"
      value={kind}
      options={[['', 'All kinds'], ...kinds]}
      onChoose={onKind}
    />
  );
}

/** The lines below the box: a listbox, and a word where it is empty. */
function FoundList({ id, find }: { readonly id: string; readonly find: Find }) {
  const { isShown, active, choose } = find;
  const { suggestions, isAsking, problem, unsearched } = find.found;
  const empty = isAsking ? 'Looking…' : problem === '' ? 'Nothing found.' : problem;
  const words = [suggestions.length === 0 ? empty : '', unsearched].filter((word) => word !== '');
  return (
    <div class="found" hidden={!isShown}>
      <div id={id} role="listbox" aria-label="Found">
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox takes the keys.
          <div
            key={hashOf(suggestion.route)}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            // The focus stays in the box, and so the list stays open until the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(suggestion)}
          >
            <span class="found-title">{suggestion.title}</span>
            <span class="found-detail">{suggestion.detail}</span>
            <span class="found-kind">{suggestion.kind}</span>
            {suggestion.state ? (
              <StateMark kind={suggestion.kind} state={suggestion.state} />
            ) : null}
          </div>
        ))}
      </div>
      <p role="status" class="found-word">
        {isShown ? words.join(' ') : ''}
      </p>
    </div>
  );
}

/** Focuses the box on `/`, where nothing else is being typed into. */
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
