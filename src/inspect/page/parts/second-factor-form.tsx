// The form for the code that a session needs if its identity is enrolled in MFA.

import { useState } from 'preact/hooks';
import { useLogIn } from '../hooks/use-log-in.ts';
import { giveCode, leave } from '../log-in.ts';
import { usePage } from '../page-context.ts';
import { ProblemNote } from './problem-note.tsx';
import { TextField } from './text-field.tsx';
import { ViewTitle } from './view-title.tsx';

/** The second step of the login. */
export function SecondFactorForm() {
  const { session, askAs } = usePage();
  const attempt = useLogIn();
  const [code, setCode] = useState('');
  const { token } = session.getSnapshot().context;
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt.try(() => giveCode(askAs, token, code.trim()));
  };
  const startOver = () => {
    void leave(askAs(token));
    session.send({ type: 'ended', token, notice: '' });
  };
  return (
    <form onSubmit={submit}>
      <ViewTitle title="Second factor" />
      <p class="hint">The code that your authenticator shows, or one of your recovery codes.</p>
      <TextField
        label="Authentication code"
        name="code"
        autoComplete="one-time-code"
        value={code}
        onValue={setCode}
        isFirst
      />
      <ProblemNote text={attempt.problem} />
      <div class="buttons">
        <button type="submit" class="is-main" disabled={attempt.isBusy}>
          Verify
        </button>
        <button type="button" onClick={startOver}>
          Start over
        </button>
      </div>
    </form>
  );
}
