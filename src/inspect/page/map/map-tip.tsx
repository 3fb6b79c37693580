// What is pointed at on the map, in words. Screen readers read the tables instead.

import { Sign } from '../components/sign.tsx';
import type { Extent } from './camera.ts';
import type { MapLine, MapNode } from './drawing.ts';

interface MapTipProps {
  /** Undefined for nothing. */
  readonly thing: MapNode | MapLine | undefined;
  /** Where the mouse is. */
  readonly at: readonly [x: number, y: number];
  readonly extent: Extent;
}

/** Px that it takes at most, as the style sheet says. */
const widthMax = 300;

/** Beside the mouse, on the side where there is room. */
export function MapTip({ thing, at: [x, y], extent: { width, height } }: MapTipProps) {
  if (thing === undefined) return null;
  const isLeft = x + widthMax > width && x > width / 2;
  const side = isLeft ? { right: `${width - x + 14}px` } : { left: `${x + 14}px` };
  const level = y > height / 2 ? { bottom: `${height - y + 10}px` } : { top: `${y + 10}px` };
  return (
    <div class="map-tip" aria-hidden="true" style={{ ...side, ...level }}>
      <p>
        <Sign meaning={thing.meaning} /> <strong>{'name' in thing ? thing.name : 'link'}</strong>{' '}
        {thing.text}
      </p>
      {thing.facts().map((fact) => (
        <p key={fact}>{fact}</p>
      ))}
      {'chosen' in thing && thing.chosen.length > 0 ? (
        <p>{thing.chosen.length} circuits of the service</p>
      ) : null}
    </div>
  );
}
