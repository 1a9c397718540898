/** Returns the key that opens the palette together with K, as this computer's keyboard names it. */
export function modifierKey(): '⌘' | 'Ctrl' {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
}
