// Light or dark: as the system says, or as the user chose.

/** The choices. */
export const themes = ['system', 'light', 'dark'] as const;

/** One of them. */
export type Theme = (typeof themes)[number];

const key = 'edge-control.theme';

/** The stored choice. */
export function keptTheme(): Theme {
  const kept = window.localStorage.getItem(key);
  return themes.find((theme) => theme === kept) ?? 'system';
}

/** Shows the page in a theme, and keeps it for the next time. */
export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  window.localStorage.setItem(key, theme);
}
