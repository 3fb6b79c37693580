// The picture of the map: it is looked at closer, moved, pointed at, and clicked through.
// Everything that it shows is in tables, too.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { usePage, useSelected } from '../page-context.ts';
import { type Camera, type Extent, pointedAt, screenPlaces, wholeView, zoomed } from './camera.ts';
import type { Drawing, MapLine, MapNode } from './drawing.ts';
import { InkSamples, readInks, useThemeChanges } from './inks.tsx';
import { MapTip } from './map-tip.tsx';
import { isSought, type LineLabel, type Picture, paint } from './painting.ts';
import { useExtent } from './use-extent.ts';
import { cameraAfter, placeOf, useHand, zoomStep } from './use-hand.ts';

/** A drawing, and what is done with it. */
export interface MapCanvasProps {
  readonly drawing: Drawing;
  /** Names the part of the map; another one is looked at as a whole at first. */
  readonly part: string;
  /** What it shows, in words. */
  readonly name: string;
  readonly lineLabel: LineLabel;
  /** As `Picture.sought`. */
  readonly sought: string;
  readonly hasChosen: boolean;
  onNode(node: MapNode): void;
  onLine(line: MapLine): void;
}

/** The canvas with its buttons. */
export function MapCanvas(props: MapCanvasProps) {
  const { drawing, part, sought } = props;
  const { layout } = usePage();
  const frame = useRef<HTMLDivElement>(null);
  const extent = useExtent(frame);
  const { places, camera: looked } = useSelected(layout.store, (state) => state);
  const chosen = looked?.part === part ? looked.camera : undefined;
  const camera = useMemo(
    () => chosen ?? wholeView(drawing, places, extent),
    [chosen, drawing, places, extent],
  );
  const look = (next: Camera | undefined) =>
    layout.store.send({ type: 'looked', camera: next && { part, camera: next } });
  useEffect(() => layout.arrange(drawing), [layout, drawing]);
  const arrange = () => {
    look(undefined);
    layout.arrange(drawing, true);
  };
  const toFound = () => {
    const isWanted = (n: number) => isSought(drawing.nodes[n], sought);
    if (drawing.nodes.some((node) => isSought(node, sought))) {
      look(wholeView(drawing, places, extent, isWanted));
    }
  };
  const press = (event: KeyboardEvent) => {
    const next = event.target === event.currentTarget ? cameraAfter(event.key, camera) : 'none';
    if (next === 'none') return;
    event.preventDefault();
    look(next);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move what is looked at.
    <section class="map-frame" aria-label="Map" tabIndex={0} onKeyDown={press}>
      <MapPicture
        {...props}
        frame={frame}
        extent={extent}
        camera={camera}
        isNear={chosen !== undefined}
        look={look}
      />
      <div class="map-buttons">
        <button type="button" onClick={() => look(zoomed(camera, zoomStep))}>
          Zoom in
        </button>
        <button type="button" onClick={() => look(zoomed(camera, 1 / zoomStep))}>
          Zoom out
        </button>
        <button type="button" disabled={chosen === undefined} onClick={() => look(undefined)}>
          Whole map
        </button>
        <button type="button" disabled={sought === ''} onClick={toFound}>
          Zoom to found
        </button>
        <button type="button" onClick={arrange}>
          Arrange again
        </button>
      </div>
    </section>
  );
}

interface MapPictureProps extends MapCanvasProps {
  readonly frame: { current: HTMLDivElement | null };
  readonly extent: Extent;
  readonly camera: Camera;
  /** As `HandOptions.isNear`. */
  readonly isNear: boolean;
  look(camera: Camera | undefined): void;
}

/** The canvas alone, with what is pointed at. */
function MapPicture(props: MapPictureProps) {
  const { drawing, name, frame, extent, camera, isNear, look } = props;
  const { layout } = usePage();
  const { places } = useSelected(layout.store, (state) => state);
  const [pointer, setPointer] = useState<readonly [x: number, y: number]>();
  const screen = useMemo(
    () => screenPlaces(drawing, places, camera, extent),
    [drawing, places, camera, extent],
  );
  const hand = useHand({ frame, camera, extent, isNear, look });
  const thingAt = (at: readonly [x: number, y: number]) => {
    const pointed = pointedAt(drawing, screen, ...at);
    const node = pointed?.what === 'node' ? drawing.nodes[pointed.at] : undefined;
    const line = pointed?.what === 'line' ? drawing.lines[pointed.at] : undefined;
    return { pointed, node, line };
  };
  const { pointed, node, line } =
    pointer === undefined || hand.isDragging ? nothing : thingAt(pointer);
  const { canvas, inks } = usePainting({ ...props, ...extent, screen, pointed });
  const click = (event: MouseEvent) => {
    if (hand.hasDragged.current) return;
    const clicked = thingAt(placeOf(event));
    if (clicked.node !== undefined) props.onNode(clicked.node);
    if (clicked.line !== undefined) props.onLine(clicked.line);
  };
  const marks = ['map-picture'];
  if (isNear) marks.push('is-near');
  if (hand.isDragging) marks.push('is-dragged');
  else if (pointed !== undefined) marks.push('is-pointed');
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the tables lead to the same by keyboard.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tables lead to the same by keyboard.
    <div
      ref={frame}
      class={marks.join(' ')}
      onPointerDown={hand.grip}
      onPointerUp={hand.release}
      onPointerMove={(event) => {
        if (!hand.drag(event)) setPointer(placeOf(event));
      }}
      onPointerLeave={() => {
        hand.release();
        setPointer(undefined);
      }}
      onClick={click}
    >
      <canvas ref={canvas} role="img" aria-label={name} />
      <InkSamples samples={inks} />
      <MapTip thing={node ?? line} at={pointer ?? [0, 0]} extent={extent} />
    </div>
  );
}

const nothing = { pointed: undefined, node: undefined, line: undefined };

/** Paints with the next picture of the browser whatever has changed until then. */
function usePainting(picture: Omit<Picture, 'inks'>) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const inks = useRef<HTMLDivElement>(null);
  const themeChanges = useThemeChanges();
  const { drawing, screen, width, height, lineLabel, sought, hasChosen, pointed } = picture;
  useEffect(() => {
    const wanted = requestAnimationFrame(() => {
      const [element, samples] = [canvas.current, inks.current];
      const context = element && preparedContext(element, { width, height });
      if (element === null || context === null || samples === null) return;
      paint(context, { ...picture, inks: readInks(samples) });
      const drawn = screen.x.reduce((count, x) => (Number.isNaN(x) ? count : count + 1), 0);
      // Tests wait for it.
      element.dataset['drawn'] = `${drawn} ${drawing.lines.length}`;
    });
    return () => cancelAnimationFrame(wanted);
  }, [
    drawing,
    screen,
    width,
    height,
    lineLabel,
    sought,
    hasChosen,
    pointed?.what,
    pointed?.at,
    themeChanges,
  ]);
  return { canvas, inks };
}

/** Screens of more pixels per px would only make it slower. */
const pixelsMax = 2;

/** A canvas of one pixel of the screen per pixel of it, so that nothing is blurred. */
function preparedContext(canvas: HTMLCanvasElement, { width, height }: Extent) {
  const ratio = Math.min(pixelsMax, window.devicePixelRatio);
  const [pixelsX, pixelsY] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixelsX) canvas.width = pixelsX;
  if (canvas.height !== pixelsY) canvas.height = pixelsY;
  const context = canvas.getContext('2d');
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
