// The sign of a meaning: its shape tells it apart where its colour does not.

import type { StateMeaning } from '../../messages.ts';

/** Each meaning in words, in the order in which they are explained. */
const meaningTexts: Readonly<Record<StateMeaning, string>> = {
  good: 'does what it is there for',
  waiting: 'something else has to happen first',
  bad: 'failed or lost: look at it',
  over: 'has ended, or does not exist yet',
};

/** A sign in a line of text. Screen readers say the meaning. */
export function Sign({ meaning }: { readonly meaning: StateMeaning }) {
  return (
    <svg class={`sign is-${meaning}`} viewBox="0 0 16 16" role="img" aria-label={meaning}>
      <SignShape meaning={meaning} />
    </svg>
  );
}

/** The shape alone, 16 px wide and high, for drawings. */
export function SignShape({ meaning }: { readonly meaning: StateMeaning }) {
  switch (meaning) {
    case 'good':
      return (
        <>
          <circle class="sign-body" cx="8" cy="8" r="7" />
          <path class="sign-cut" d="M4.6 8.3L7 10.7L11.4 5.6" />
        </>
      );
    case 'waiting':
      return (
        <>
          <circle class="sign-line" cx="8" cy="8" r="6" />
          <path class="sign-line" d="M8 4.4V8.2L10.6 9.8" />
        </>
      );
    case 'bad':
      return (
        <>
          <path class="sign-body" d="M8 0.8L15.6 14.6H0.4Z" />
          <path class="sign-cut" d="M8 5.6V9.6M8 12V12.3" />
        </>
      );
    case 'over':
      return (
        <>
          <rect class="sign-line" x="2.5" y="2.5" width="11" height="11" />
          <path class="sign-line" d="M5.2 8H10.8" />
        </>
      );
  }
}

/** All signs with their meanings in words. */
export function SignLegend() {
  return (
    <ul class="plain signs" aria-label="Signs">
      {(Object.keys(meaningTexts) as StateMeaning[]).map((meaning) => (
        <li key={meaning}>
          <Sign meaning={meaning} /> <strong>{meaning}</strong> {meaningTexts[meaning]}
        </li>
      ))}
    </ul>
  );
}
