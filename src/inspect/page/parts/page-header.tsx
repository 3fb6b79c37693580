// The present place, the navigation, and whether the page is up to date.

import { useSelected } from '../hooks/use-selected.ts';
import { leave } from '../log-in.ts';
import { usePage } from '../page-context.ts';
import type { Route } from '../route.ts';
import { BrandMark } from './app.tsx';
import { ConnectionMark } from './connection-mark.tsx';
import { FindBox } from './find-box.tsx';
import { ThemeSelect } from './theme-select.tsx';

const views = [
  { text: 'Machines', href: '#/', shows: ['machines', 'kind', 'instance'] },
  { text: 'Transitions', href: '#/transitions', shows: ['transitions'] },
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
