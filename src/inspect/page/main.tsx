// Where the page begins: makes its stores and draws it.

import { render } from 'preact';
import { createAsk } from './api-client.ts';
import { App } from './app.tsx';
import { applyKeptTheme } from './components/theme.tsx';
import { createMachinesStore } from './machines.ts';
import { LayoutClient } from './map/layout-client.ts';
import { type Page, PageContext } from './page-context.ts';
import { createSessionStore, keptSession, keptText } from './session.ts';
import { createStreamStore } from './stream-store.ts';

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
    layout: new LayoutClient(layoutWorkerPath()),
    ask: createAsk(() => session.getSnapshot().context.token, ended),
    askAs: (token) => createAsk(() => token),
  };
}

/** The document names it, as it names the other files: its name changes with its content. */
function layoutWorkerPath(): string {
  return document.querySelector('meta[name="layout-worker"]')?.getAttribute('content') ?? '';
}

const root = document.getElementById('page');
if (root !== null) {
  applyKeptTheme();
  root.textContent = '';
  render(
    <PageContext.Provider value={createPage()}>
      <App />
    </PageContext.Provider>,
    root,
  );
}
