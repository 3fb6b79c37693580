// Explains at an identity why it can or cannot reach a service, down to routers and hosts.

import type { ComponentChild } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ProblemNote } from '../components/view-head.tsx';
import {
  type ExplainedRouter,
  type ExplainedTerminator,
  type Explanation,
  explanationPath,
  type FailedDial,
  servicesPath,
  wayText,
} from '../explanation.ts';
import { usePage } from '../page-context.ts';
import { useAttempt } from '../use-api.ts';
import { InstanceLink } from './instance-record.tsx';

/** A service is typed, then its explanation is shown. */
export function ExplainPanel({ identityId }: { readonly identityId: string }) {
  const { ask } = usePage();
  const { isBusy, problem, start } = useAttempt();
  const [text, setText] = useState('');
  const [explanation, setExplanation] = useState<Explanation>();
  const id = useId();
  const explain = async () => {
    const services = await ask<readonly { readonly id: string }[]>(servicesPath(text));
    const [service] = services.data;
    if (service === undefined) throw new Error(`There is no service ${text.trim()}.`);
    const answer = await ask<Explanation>(explanationPath(identityId, service.id));
    setExplanation(answer.data);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setExplanation(undefined);
    void start(explain);
  };
  return (
    <section aria-label="Access to a service">
      <h2>Access to a service</h2>
      <form class="filter" aria-label="Explain access" onSubmit={submit}>
        <label for={id}>Service</label>
        <input
          id={id}
          type="text"
          value={text}
          placeholder="name or id"
          spellcheck={false}
          autoComplete="off"
          autoCapitalize="none"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" disabled={isBusy || text.trim() === ''}>
          Explain
        </button>
      </form>
      <ProblemNote text={problem} />
      {explanation === undefined ? null : <Explained explanation={explanation} />}
    </section>
  );
}

function Explained({ explanation }: { readonly explanation: Explanation }) {
  const { summary, routers, hosting, failures } = explanation;
  return (
    <div class="explained">
      <ul class="plain links" aria-label="Summary">
        {summary.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <h3>Common edge routers</h3>
      <Rows total={routers.common.total}>
        {routers.common.shown.map((router) => (
          <RouterRow key={router.id} router={router} />
        ))}
      </Rows>
      <h3>Terminators</h3>
      <Rows total={hosting.total}>
        {hosting.shown.map((terminator) => (
          <TerminatorRow key={terminator.id} terminator={terminator} />
        ))}
      </Rows>
      <h3>Dials to it that failed lately</h3>
      <Rows total={failures.length}>
        {failures.map((dial, at) => (
          <FailedDialRow key={`${dial.when} ${at}`} dial={dial} />
        ))}
      </Rows>
    </div>
  );
}

interface RowsProps {
  readonly total: number;
  readonly children: readonly ComponentChild[];
}

function Rows({ total, children }: RowsProps) {
  if (total === 0) return <p class="hint">None.</p>;
  return (
    <ul class="plain links">
      {[...children]}
      {total > children.length ? <li class="hint">and {total - children.length} more</li> : null}
    </ul>
  );
}

function RouterRow({ router }: { readonly router: ExplainedRouter }) {
  const { id, name, isOnline, syncStatus } = router;
  return (
    <li>
      <InstanceLink kind="router" id={id} name={name} />{' '}
      <span class="hint">{isOnline ? syncStatus : 'offline'}</span>
    </li>
  );
}

function TerminatorRow({ terminator }: { readonly terminator: ExplainedTerminator }) {
  const { id, precedence, router } = terminator;
  return (
    <li>
      <InstanceLink kind="terminator" id={id} name="" /> at{' '}
      <InstanceLink kind="router" id={router.id} name={router.name} />{' '}
      <span class="hint">
        {wayText(terminator)}
        {precedence === 'default' ? '' : `, precedence ${precedence}`}
      </span>
    </li>
  );
}

function FailedDialRow({ dial }: { readonly dial: FailedDial }) {
  const { when, identity, router, cause, inWords } = dial;
  return (
    <li>
      {when}: <InstanceLink kind="identity" id={identity.id} name={identity.name} /> at{' '}
      <InstanceLink kind="router" id={router.id} name={router.name} />{' '}
      <span class="hint">
        {inWords} ({cause})
      </span>
    </li>
  );
}
