// Moves what is looked at, by mouse, wheel and keys.

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Camera, type Extent, panned, zoomed } from './camera.ts';

/** How much closer one step looks. */
export const zoomStep = 1.4;

/** Px by which an arrow key moves the picture. */
const panStep = 60;
/** Px by which the mouse moves at least when something is dragged. */
const draggedMin = 4;

/** What a hand works on. */
export interface HandOptions {
  readonly frame: RefObject<HTMLElement | null>;
  readonly camera: Camera;
  readonly extent: Extent;
  /** Whether a part is looked at: a finger moves it then, and scrolls the page otherwise. */
  readonly isNear: boolean;
  /** Looks at something else; undefined for the whole. */
  look(camera: Camera | undefined): void;
}

/** Where the picture is held, and what was looked at then. */
interface Grip {
  readonly x: number;
  readonly y: number;
  readonly camera: Camera;
}

/** The place of the mouse within the element that listens. */
export function placeOf(event: MouseEvent): readonly [x: number, y: number] {
  const { currentTarget, clientX, clientY } = event;
  const box = currentTarget instanceof Element ? currentTarget.getBoundingClientRect() : undefined;
  return [clientX - (box?.left ?? 0), clientY - (box?.top ?? 0)];
}

/** Handlers for the element that is dragged. */
export function useHand({ frame, camera, extent, isNear, look }: HandOptions) {
  const grip = useRef<Grip | undefined>(undefined);
  const hasDragged = useRef(false);
  const [isDragging, setDragging] = useState(false);
  const latest = useRef({ camera, extent, look });
  latest.current = { camera, extent, look };
  useEffect(() => {
    const element = frame.current;
    // A wheel alone scrolls the page; with Ctrl, as which browsers tell of two fingers, it zooms.
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { camera: now, extent: size, look: show } = latest.current;
      const box = frame.current?.getBoundingClientRect();
      const x = event.clientX - (box?.left ?? 0) - size.width / 2;
      const y = event.clientY - (box?.top ?? 0) - size.height / 2;
      show(zoomed(now, Math.exp(-event.deltaY / 300), [x, y]));
    };
    element?.addEventListener('wheel', turn, { passive: false });
    return () => element?.removeEventListener('wheel', turn);
  }, [frame]);
  return {
    isDragging,
    /** Whether the last press of the button was no click. */
    hasDragged,
    /** Takes a move of the mouse. @returns whether it drags the picture */
    drag(event: PointerEvent): boolean {
      const held = grip.current;
      if (held === undefined) return false;
      const [byX, byY] = [held.x - event.clientX, held.y - event.clientY];
      if (!hasDragged.current && Math.hypot(byX, byY) < draggedMin) return false;
      if (!hasDragged.current) frame.current?.setPointerCapture(event.pointerId);
      hasDragged.current = true;
      setDragging(true);
      look(panned(held.camera, byX, byY));
      return true;
    },
    grip(event: PointerEvent): void {
      hasDragged.current = false;
      if (event.button !== 0 || (event.pointerType === 'touch' && !isNear)) return;
      grip.current = { x: event.clientX, y: event.clientY, camera };
    },
    release(): void {
      grip.current = undefined;
      setDragging(false);
    },
  };
}

/** What is looked at after a key; `none` for one that means nothing here. */
export function cameraAfter(key: string, camera: Camera): Camera | undefined | 'none' {
  switch (key) {
    case '+':
    case '=':
      return zoomed(camera, zoomStep);
    case '-':
      return zoomed(camera, 1 / zoomStep);
    case '0':
    case 'Home':
      return undefined;
    case 'ArrowLeft':
      return panned(camera, -panStep, 0);
    case 'ArrowRight':
      return panned(camera, panStep, 0);
    case 'ArrowUp':
      return panned(camera, 0, -panStep);
    case 'ArrowDown':
      return panned(camera, 0, panStep);
    default:
      return 'none';
  }
}
