// The colours of the page for what is painted: a canvas knows no style sheet, so they are read off
// elements that have them.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { InkName, Inks } from './painting.ts';

const names: readonly InkName[] = [
  'good',
  'waiting',
  'bad',
  'over',
  'ink',
  'soft',
  'rim',
  'accent',
  'surface',
];

/** Elements in these colours, which nobody sees. */
export function InkSamples({ samples }: { readonly samples: RefObject<HTMLDivElement | null> }) {
  return (
    <div ref={samples} class="map-inks" hidden>
      {names.map((name) => (
        <span key={name} class={`ink is-${name}`} data-ink={name} />
      ))}
    </div>
  );
}

/** The colours at this time. */
export function readInks(samples: HTMLElement): Inks {
  const inks: Record<InkName | 'face', string> = { ...noInks };
  for (const name of names) {
    const sample = samples.querySelector(`[data-ink="${name}"]`);
    if (sample !== null) inks[name] = getComputedStyle(sample).color;
  }
  inks.face = getComputedStyle(samples).fontFamily;
  return inks;
}

const noInks: Inks = {
  good: '',
  waiting: '',
  bad: '',
  over: '',
  ink: '',
  soft: '',
  rim: '',
  accent: '',
  surface: '',
  face: 'sans-serif',
};

/** How often light and dark have changed; the component is rendered again with each change. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const look = () => setChanges((count) => count + 1);
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', look);
    const chosen = new MutationObserver(look);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', look);
      chosen.disconnect();
    };
  }, []);
  return changes;
}
