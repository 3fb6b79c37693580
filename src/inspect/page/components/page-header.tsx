// The present place, the navigation, and whether the page is up to date.

import { usePage, useSelected } from '../page-context.ts';
import type { Route } from '../route.ts';
import { leave } from '../session.ts';
import { FindBox } from './find-box.tsx';
import { Sign } from './sign.tsx';
import { ThemeSelect } from './theme.tsx';

const views = [
  { text: 'Machines', href: '#/', shows: ['machines', 'kind', 'instance'] },
  { text: 'Map', href: '#/map', shows: ['map'] },
  { text: 'Transitions', href: '#/transitions', shows: ['transitions', 'frame'] },
  { text: 'Processes', href: '#/processes', shows: ['processes'] },
  { text: 'Figures', href: '#/figures', shows: ['figures'] },
] as const;

/** The head of every view. */
export function PageHeader({ route }: { readonly route: Route }) {
  return (
    <header class="head">
      <div class="head-row">
        <a class="brand" href="#/" aria-label="Edge Control inspector">
          <BrandMark /> <span>Edge Control</span> <span class="brand-part">inspector</span>
        </a>
        <nav aria-label="Views" class="views">
          {views.map(({ text, href, shows }) => {
            const isHere = shows.some((view) => view === route.view);
            return (
              <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>
                {text}
              </a>
            );
          })}
        </nav>
        <FindBox />
        <div class="head-end">
          <ConnectionMark />
          <ThemeSelect />
          <LogOut />
        </div>
      </div>
    </header>
  );
}

function LogOut() {
  const { session, ask } = usePage();
  const { name, token } = useSelected(session, (state) => state);
  const logOut = async () => {
    await leave(ask);
    session.send({ type: 'ended', token, notice: '' });
  };
  return (
    <button type="button" class="is-quiet" title={`Logged in as ${name}`} onClick={logOut}>
      Log out
    </button>
  );
}

const phaseMeanings = {
  closed: 'over',
  connecting: 'waiting',
  live: 'good',
  reconnecting: 'waiting',
} as const;

/** Whether the page is live: a sign and a word. */
function ConnectionMark() {
  const { stream } = usePage();
  const phase = useSelected(stream, (state) => state.phase);
  return (
    <span role="status" class="connection" title="Stream of the controller">
      <Sign meaning={phaseMeanings[phase]} />
      {phase}
    </span>
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
