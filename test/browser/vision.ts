// What is on the page as somebody sees it, the colour-blind too: the colours of pixels in a picture
// that the browser takes with its own emulation.

import type { CDPSession, Locator, Page } from 'playwright-core';
import { hexOf, type Vision } from './colours.ts';

/** The two colours of which a sign is painted. */
export interface Painted {
  /** The one that most of its edge has. */
  readonly ground: string;
  /** The one, among all others, that most of it has. */
  readonly colour: string;
}

/** Pictures are this much larger than the page, so that a thin line has a middle. */
const scale = 6;

/** A page that is looked at with other eyes. */
export class Onlooker {
  readonly #page: Page;
  readonly #session: CDPSession;
  /** It decodes pictures; the policy of the inspector's page would not let it. */
  readonly #desk: Page;

  private constructor(page: Page, session: CDPSession, desk: Page) {
    this.#page = page;
    this.#session = session;
    this.#desk = desk;
  }

  /** Begins to look at a page as everybody does. */
  static async of(page: Page): Promise<Onlooker> {
    const context = page.context();
    return new Onlooker(page, await context.newCDPSession(page), await context.newPage());
  }

  /** From now on it looks so. */
  async see(vision: Vision): Promise<void> {
    await this.#session.send('Emulation.setEmulatedVisionDeficiency', { type: vision });
  }

  /** The colours in which an element is painted. @throws when it is not in the window */
  async painted(element: Locator): Promise<Painted> {
    await element.scrollIntoViewIfNeeded();
    const box = await element.boundingBox();
    if (box === null) throw new Error('nothing is painted there');
    const offset = (await this.#page.evaluate('[scrollX, scrollY]')) as [number, number];
    const clip = { ...box, x: box.x + offset[0], y: box.y + offset[1], scale };
    const { data } = await this.#session.send('Page.captureScreenshot', { format: 'png', clip });
    const { edge, all } = (await this.#desk.evaluate(`(${countColours})("${data}")`)) as Counted;
    const ground = mostOf(edge);
    return { ground, colour: mostOf(all.filter(([colour]) => colour !== rgbOf(ground))) };
  }

  /** Looks as everybody does, and closes what it has opened. */
  async leave(): Promise<void> {
    await this.see('none');
    await this.#session.detach();
    await this.#desk.close();
  }
}

/** Colours as `red,green,blue`, each with the number of its pixels. */
type Counts = readonly (readonly [colour: string, pixels: number])[];

interface Counted {
  readonly edge: Counts;
  readonly all: Counts;
}

function mostOf(counts: Counts): string {
  const [colour] = counts.reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as const);
  const [red = 0, green = 0, blue = 0] = colour.split(',').map(Number);
  return hexOf([red, green, blue]);
}

function rgbOf(colour: string): string {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).join(',');
}

// What runs in the browser is text: there is no DOM among the types of the controller.
const countColours = `async (data) => {
  const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height).getContext('2d');
  canvas.drawImage(picture, 0, 0);
  const pixels = canvas.getImageData(0, 0, width, height).data;
  const [edge, all] = [new Map(), new Map()];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const colour = pixels[at] + ',' + pixels[at + 1] + ',' + pixels[at + 2];
      all.set(colour, (all.get(colour) ?? 0) + 1);
      const isEdge = x === 0 || y === 0 || x === width - 1 || y === height - 1;
      if (isEdge) edge.set(colour, (edge.get(colour) ?? 0) + 1);
    }
  }
  return { edge: [...edge], all: [...all] };
}`;
