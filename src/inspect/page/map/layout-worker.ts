// The worker in which the map is laid out, so that the page can be used meanwhile. It answers each
// order with the places of its nodes.

import { Layout, type LayoutOrder } from './layout.ts';

const layout = new Layout();

addEventListener('message', ({ data }: MessageEvent<LayoutOrder>) => {
  const places = layout.place(data);
  postMessage(places, { transfer: [places.buffer] });
});
