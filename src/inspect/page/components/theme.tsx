// Light or dark: as the system says, or as the user chose.

import { useState } from 'preact/hooks';
import { Select } from './form-controls.tsx';

const themes = ['system', 'light', 'dark'] as const;

type Theme = (typeof themes)[number];

const options = themes.map(
  (theme) => [theme, theme.charAt(0).toUpperCase() + theme.slice(1)] as const,
);

const key = 'edge-control.theme';

/** Shows the page in the theme that was chosen last. */
export function applyKeptTheme(): void {
  applyTheme(keptTheme());
}

/** A small select, whose choice is kept for the next time. */
export function ThemeSelect() {
  const [chosen, setChosen] = useState(keptTheme);
  const choose = (value: string) => {
    const theme = themeOf(value);
    applyTheme(theme);
    window.localStorage.setItem(key, theme);
    setChosen(theme);
  };
  return (
    <Select
      aria-label="Theme"
      class="is-quiet"
      value={chosen}
      options={options}
      onChoose={choose}
    />
  );
}

function keptTheme(): Theme {
  return themeOf(window.localStorage.getItem(key));
}

function themeOf(text: string | null): Theme {
  return themes.find((theme) => theme === text) ?? 'system';
}

function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
}
