// Where the page begins: makes its stores and draws it.

import { render } from 'preact';
import { createAsk } from './api.ts';
import { createMachinesStore } from './machines-store.ts';
import { type Page, PageContext } from './page-context.ts';
import { App } from './parts/app.tsx';
import { createSessionStore, keptSession, keptText } from './session-store.ts';
import { createStreamStore } from './stream-store.ts';
import { applyTheme, keptTheme } from './theme.ts';

const sessionKey = 'edge-control.session';

function createPage(): Page {
  const session = createSessionStore(keptSession(window.sessionStorage.getItem(sessionKey)));
  session.subscribe(({ context }) => {
    const text = keptText(context);
    if (text === undefined) window.sessionStorage.removeItem(sessionKey);
    else window.sessionStorage.setItem(sessionKey, text);
  });
  const ended = (token: string) => {
    session.send({ type: 'ended', token, notice: 'Your session has ended. Log in again.' });
  };
  return {
    session,
    stream: createStreamStore(),
    machines: createMachinesStore(),
    ask: createAsk(() => session.getSnapshot().context.token, ended),
    askAs: (token) =>
      createAsk(
        () => token,
        () => undefined,
      ),
  };
}

const root = document.getElementById('page');
if (root !== null) {
  applyTheme(keptTheme());
  root.textContent = '';
  render(
    <PageContext.Provider value={createPage()}>
      <App />
    </PageContext.Provider>,
    root,
  );
}
