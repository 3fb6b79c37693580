// Name and password of an administrator.

import { useState } from 'preact/hooks';
import { useLogIn } from '../hooks/use-log-in.ts';
import { useSelected } from '../hooks/use-selected.ts';
import { logIn } from '../log-in.ts';
import { usePage } from '../page-context.ts';
import { ProblemNote } from './problem-note.tsx';
import { TextField } from './text-field.tsx';
import { ViewTitle } from './view-title.tsx';

/** The first step of the login. */
export function LogInForm() {
  const { session, askAs } = usePage();
  const notice = useSelected(session, (state) => state.notice);
  const attempt = useLogIn();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt.try(() => logIn(askAs, username, password));
  };
  return (
    <form onSubmit={submit}>
      <ViewTitle title="Log in" />
      {notice === '' ? null : (
        <p role="status" class="note">
          {notice}
        </p>
      )}
      <TextField
        label="User name"
        name="username"
        autoComplete="username"
        value={username}
        onValue={setUsername}
        isFirst
      />
      <TextField
        label="Password"
        name="password"
        isSecret
        autoComplete="current-password"
        value={password}
        onValue={setPassword}
      />
      <ProblemNote text={attempt.problem} />
      <button type="submit" class="is-main" disabled={attempt.isBusy}>
        Log in
      </button>
    </form>
  );
}
