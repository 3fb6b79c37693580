// Chooses between light and dark.

import { useState } from 'preact/hooks';
import { applyTheme, keptTheme, themes } from '../theme.ts';

/** A small select. */
export function ThemeSelect() {
  const [chosen, setChosen] = useState(keptTheme);
  const choose = (value: string) => {
    const theme = themes.find((one) => one === value) ?? 'system';
    applyTheme(theme);
    setChosen(theme);
  };
  return (
    <select
      aria-label="Theme"
      class="is-quiet"
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {themes.map((theme) => (
        <option key={theme} value={theme}>
          {theme.charAt(0).toUpperCase() + theme.slice(1)}
        </option>
      ))}
    </select>
  );
}
