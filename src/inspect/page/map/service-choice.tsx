// Chooses the service whose circuits the map shows.

import { useEffect, useId, useState } from 'preact/hooks';
import type { FoundRecords, InstanceRow } from '../../messages.ts';
import { instancesPath, pathWith } from '../api.ts';
import { ProblemNote } from '../components/view-head.tsx';
import { quoted } from '../filter-text.ts';
import { usePage } from '../page-context.ts';
import { useAttempt } from '../use-api.ts';

interface ServiceChoiceProps {
  /** The id of the present one; empty for none. */
  readonly service: string;
  onChoose(service: string): void;
}

/** After the last key that was pressed. */
const pauseMs = 150;

/** A name is typed, with suggestions; the other button shows no circuits any more. */
export function ServiceChoice({ service, onChoose }: ServiceChoiceProps) {
  const { ask } = usePage();
  const { isBusy, problem, start } = useAttempt();
  const [text, setText] = useState('');
  const id = useId();
  const name = useServiceName(service);
  useEffect(() => setText(name), [name]);
  const suggestions = useSuggestions(text);
  const submit = (event: Event) => {
    event.preventDefault();
    void start(async () => {
      const value = quoted(text.trim());
      const query = { filter: `name = ${value} or id = ${value}`, limit: 1 };
      const { data } = await ask<readonly InstanceRow[]>(pathWith(instancesPath('service'), query));
      const [found] = data;
      if (found === undefined) throw new Error(`There is no service ${text.trim()}.`);
      onChoose(found.id);
    });
  };
  return (
    <form class="filter" aria-label="Circuits of a service" onSubmit={submit}>
      <label for={id}>Circuits of the service</label>
      <input
        id={id}
        type="text"
        list={`${id}-known`}
        value={text}
        placeholder="name or id"
        spellcheck={false}
        autoComplete="off"
        autoCapitalize="none"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id={`${id}-known`}>
        {suggestions.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <button type="submit" disabled={isBusy || text.trim() === ''}>
        Show circuits
      </button>
      <button type="button" disabled={service === ''} onClick={() => onChoose('')}>
        No circuits
      </button>
      <ProblemNote text={problem} />
    </form>
  );
}

/** The name of a service; its id until it is known, and empty for none. */
function useServiceName(service: string): string {
  const { ask } = usePage();
  const [name, setName] = useState('');
  useEffect(() => {
    setName(service);
    if (service === '') return;
    const abort = new AbortController();
    ask<{ readonly name: string }>(instancesPath('service', service), { signal: abort.signal })
      .then(({ data }) => setName(data.name))
      // Its id says as well which one it is.
      .catch(() => undefined);
    return () => abort.abort();
  }, [ask, service]);
  return name;
}

/** Names of services with a piece of that text. */
function useSuggestions(text: string): readonly string[] {
  const { ask } = usePage();
  const [names, setNames] = useState<readonly string[]>([]);
  const wanted = text.trim();
  useEffect(() => {
    setNames([]);
    if (wanted === '') return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const path = pathWith('/inspect/search', { kind: 'service', text: wanted, limit: 10 });
      ask<readonly FoundRecords[]>(path, { signal: abort.signal })
        .then(({ data }) => setNames(data.flatMap(namesOf)))
        // The name can be typed without suggestions.
        .catch(() => undefined);
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [ask, wanted]);
  return names;
}

function namesOf({ instances }: FoundRecords): readonly string[] {
  return instances.map(({ name }) => name);
}
