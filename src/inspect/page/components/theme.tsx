// Light or dark: as the system says, or as the user chose.

import { useState } from 'preact/hooks';
import { Select } from './form-controls.tsx';

const themes = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

const key = 'edge-control.theme';

/** Shows the page in the theme that was chosen last. */
export function applyKeptTheme(): void {
  applyTheme(keptTheme());
}

/** A small select, whose choice is kept for the next time. */
export function ThemeSelect() {
  const [chosen, setChosen] = useState(keptTheme);
  const choose = (theme: string) => {
    applyTheme(theme);
    window.localStorage.setItem(key, theme);
    setChosen(theme);
  };
  return (
    <Select aria-label="Theme" class="is-quiet" value={chosen} options={themes} onChoose={choose} />
  );
}

/** The theme of the system if none is kept, or something else. */
function keptTheme(): string {
  const kept = window.localStorage.getItem(key);
  return themes.find(([theme]) => theme === kept)?.[0] ?? 'system';
}

function applyTheme(theme: string): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
}
