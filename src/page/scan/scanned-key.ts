/** Stands for a key that gives no character. A code with one is broken: without the key it may name another record. */
export const UNREADABLE = '\ufffd';
/** Separates the parts of a GS1 label. */
export const GROUP_SEPARATOR = '\u001d';

/** The browser does not tell the character of these. */
const UNREADABLE_KEYS: ReadonlySet<string> = new Set(['Dead', 'Unidentified', 'Process', 'Compose']);
/** They change the next key of a code. */
const SHIFT_KEYS: ReadonlySet<string> = new Set(['Shift', 'AltGraph', 'CapsLock', 'NumLock']);
const SHORTCUT_KEYS: ReadonlySet<string> = new Set(['Control', 'Alt', 'Meta']);

/** The place of a key in a code: its first, as fast behind another as a scanner types, or later than that. */
export type PlaceInCode = 'first' | 'within' | 'late';

/** The character of a key in a code, UNREADABLE, or `''` if the key is no part of a code. */
export function characterOf(event: KeyboardEvent, place: PlaceInCode): string {
  const { key, altKey, repeat } = event;
  // A person holds it, for example to enlarge the page.
  if (repeat && (key.length !== 1 || isShortcut(event))) return '';
  if (isGroupSeparator(event)) return place === 'late' ? '' : GROUP_SEPARATOR;
  if (UNREADABLE_KEYS.has(key)) return UNREADABLE;
  if (SHIFT_KEYS.has(key) || SHORTCUT_KEYS.has(key) || isEnter(event)) return '';
  if (key.length === 1 && !isShortcut(event)) return key;
  // Alt and digits make one character, which the browser does not tell.
  if (altKey && /^\d$/.test(key)) return UNREADABLE;
  // Slower ones are keys of a person, such as arrows and shortcuts.
  if (place !== 'within') return '';
  return key === 'Tab' ? '\t' : UNREADABLE;
}

export function isEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !isShortcut(event);
}

/** Whether a key comes between two characters of a code as another character does. */
export function keepsPace({ key }: KeyboardEvent): boolean {
  return SHIFT_KEYS.has(key);
}

/** Windows tells AltGr as Ctrl and Alt as well. */
function isShortcut(event: KeyboardEvent): boolean {
  return !event.getModifierState('AltGraph') && (event.ctrlKey || event.metaKey || event.altKey);
}

/** Scanners send Ctrl and `]`: the key at its place in the layout of the United States has another character elsewhere. */
function isGroupSeparator(event: KeyboardEvent): boolean {
  const { key, code, ctrlKey, altKey, metaKey } = event;
  return ctrlKey && !altKey && !metaKey && (key === ']' || code === 'BracketRight');
}
