// The login of an administrator: name and password, then a code if the session needs one.

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { BrandMark } from '../components/page-header.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { usePage, useSelected } from '../page-context.ts';
import { giveCode, type LogInStep, leave, logIn } from '../session.ts';
import { useAttempt } from '../use-api.ts';

/** The present step of the login. */
export function LogInView({ phase }: { readonly phase: 'out' | 'factor' }) {
  return (
    <main class="gate">
      <div class="gate-card">
        <p class="brand">
          <BrandMark /> Edge Control <span class="brand-part">inspector</span>
        </p>
        {phase === 'factor' ? <SecondFactorForm /> : <LogInForm />}
      </div>
    </main>
  );
}

/** Name and password. */
function LogInForm() {
  const { session, askAs } = usePage();
  const notice = useSelected(session, (state) => state.notice);
  const { isBusy, problem, start } = useLogInStep();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    void start(() => logIn(askAs, username, password));
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
      <ProblemNote text={problem} />
      <button type="submit" class="is-main" disabled={isBusy}>
        Log in
      </button>
    </form>
  );
}

/** The code that a session needs if its identity is enrolled in MFA. */
function SecondFactorForm() {
  const { session, askAs } = usePage();
  const { isBusy, problem, start } = useLogInStep();
  const [code, setCode] = useState('');
  const { token } = session.getSnapshot().context;
  const submit = (event: Event) => {
    event.preventDefault();
    void start(() => giveCode(askAs, token, code.trim()));
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
      <ProblemNote text={problem} />
      <div class="buttons">
        <button type="submit" class="is-main" disabled={isBusy}>
          Verify
        </button>
        <button type="button" onClick={startOver}>
          Start over
        </button>
      </div>
    </form>
  );
}

/** Carries out a step of the login, and updates the session. */
function useLogInStep() {
  const { session } = usePage();
  const { start, ...attempt } = useAttempt();
  const startStep = (step: () => Promise<LogInStep>) =>
    start(async () => {
      const next = await step();
      if (next.step === 'factorOwed') session.send({ type: 'factorOwed', token: next.token });
      else session.send({ type: 'loggedIn', token: next.token, name: next.name });
    });
  return { ...attempt, start: startStep };
}

const secret = { type: 'password' } as const;
const plain = { type: 'text', autoCapitalize: 'none' } as const;

interface TextFieldProps {
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

/** A line of text with its label above. */
function TextField({ label, isFirst, isSecret, onValue, ...attributes }: TextFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) input.current?.focus();
  }, [isFirst]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...attributes}
        ref={input}
        id={id}
        {...(isSecret ? secret : plain)}
        required
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  );
}
