// The most important facts about an instance.

import type { ComponentChildren } from 'preact';
import type { InstanceDetail } from '../../contract.ts';
import { Countdown } from './countdown.tsx';
import { InstanceLink } from './instance-link.tsx';
import { StateMark } from './state-mark.tsx';

/** An instance; undefined while it is not known, or gone. */
export interface InstanceFactsProps {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly instance: InstanceDetail | undefined;
}

/** A list of facts in a row. */
export function InstanceFacts({ kind, id, state, instance }: InstanceFactsProps) {
  const { deadline, lapses = [], events = [], lsn } = instance ?? {};
  return (
    <dl class="facts card">
      <Fact term="State">
        <span class="state">{state === '' ? '–' : <StateMark kind={kind} state={state} />}</span>
      </Fact>
      <Fact term="Id">
        <span class="id">{id}</span>
      </Fact>
      <Fact term="Deadline">
        {deadline === undefined ? (
          'none'
        ) : (
          <>
            <Countdown at={deadline.at} /> <span class="event">{deadline.event}</span>
          </>
        )}
      </Fact>
      {lapses.length === 0 ? null : (
        <Fact term="Posture lapses">
          <ul class="plain">
            {lapses.map((lapse) => (
              <li key={lapse.id}>
                <Countdown at={lapse.at} />{' '}
                <InstanceLink kind="postureCheck" id={lapse.id} name={lapse.name} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
      <Fact term="Takes">
        {events.length === 0 ? '–' : <span class="event">{events.join(', ')}</span>}
      </Fact>
      <Fact term="LSN">
        <span class="figure">{lsn ?? '–'}</span>
      </Fact>
    </dl>
  );
}

function Fact({ term, children }: { readonly term: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
