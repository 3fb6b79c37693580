// The login, or the views of the logged-in user.

import { useRef } from 'preact/hooks';
import { useSelected } from '../hooks/use-selected.ts';
import { usePage } from '../page-context.ts';
import { LogInForm } from './log-in-form.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';
import { Shell } from './shell.tsx';

/** The whole page. */
export function App() {
  const { session } = usePage();
  const phase = useSelected(session, (state) => state.phase);
  const wasOut = useRef(phase !== 'in');
  if (phase !== 'in') wasOut.current = true;
  if (phase === 'in') return <Shell takesFocus={wasOut.current} />;
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

/** Two states and the way between them. */
export function BrandMark() {
  return (
    <svg class="brand-mark" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
      <circle cx="5" cy="14" r="3.5" />
      <circle cx="15" cy="6" r="3.5" class="is-lit" />
      <path d="M7.7 11.8L12.3 8.2" />
    </svg>
  );
}
