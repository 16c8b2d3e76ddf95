/**
 * Wedge scanners type like a keyboard, fast, and end in Enter. Keys that come this fast one after the other are a scan;
 * nobody types like that. Slower ones are a code that came in pieces: its Enter presses no button, and it is not used.
 */
const BETWEEN_KEYS_MS = 100;
/** A scanner on a weak radio link, or a busy computer, leaves gaps up to this length within one code. */
const WITHIN_CODE_MS = 400;
const SHORTEST_CODE = 3;
/** A longer code is cut here: no label has one. */
const LONGEST_CODE = 200;

/** A fast hand may press two keys at this pace, but not four in a row. */
const BETWEEN_KEYS_IN_FIELD_MS = 60;

/** A form that a scan into one of its fields does not send. */
const NOT_SENT_BY_SCAN = '[data-not-sent-by-scan]';

/** Some scanners end in two Enters: the second must press no button. */
const AFTER_SCAN_MS = 300;

type ScanListener = (code: string) => void;

/** The place that is shown hears the scan; without one, the page does. */
const listeners: ScanListener[] = [];

/** Listeners for keys that came as fast as a scan but were none, such as a PIN. */
const keptBackListeners: ScanListener[] = [];

/** Listeners for codes that came in pieces. */
const brokenCodeListeners: (() => void)[] = [];

let typed = '';
/** Whether a key of `typed` came later than the keys of a scan do. */
let isBroken = false;
/** The number of typed keys that are not kept back, or not any more: the first key never is. */
let passedOn = 1;
let givingBack: ReturnType<typeof setTimeout> | undefined;
let lastKeyMs = 0;
let typedInField = '';
let lastKeyInFieldMs = 0;
let scannedAtMs = Number.NEGATIVE_INFINITY;

/** Hears scans until the returned function is called. The newest listener hears them. */
export function onScan(listener: ScanListener): () => void {
  listeners.push(listener);
  return () => {
    listeners.splice(listeners.indexOf(listener), 1);
  };
}

/** Hears keys that were kept back, because they might have been a scan, until the returned function is called. */
export function onKeptBack(listener: ScanListener): () => void {
  keptBackListeners.push(listener);
  return () => {
    keptBackListeners.splice(keptBackListeners.indexOf(listener), 1);
  };
}

/** Hears that a code came in pieces or slowly: it may have lost characters, so it is no scan. */
export function onBrokenCode(listener: () => void): void {
  brokenCodeListeners.push(listener);
}

export function followScanner(): void {
  document.addEventListener('keydown', hear, { capture: true });
}

/** Stands for a key of a code that the browser cannot read. Such a code is broken: without the key it may name another record. */
const UNREADABLE = '\ufffd';
const UNREADABLE_KEYS: ReadonlySet<string> = new Set(['Dead', 'Unidentified', 'Process']);
/** Separates the parts of a GS1 label. */
const GROUP_SEPARATOR = '\u001d';

/** The key as a character of a code, or its name; null for a shortcut of a person, and for a modifier key. */
function keyOf(event: KeyboardEvent): string | null {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (UNREADABLE_KEYS.has(key)) return UNREADABLE;
  if (event.getModifierState('AltGraph')) return key;
  // Scanners send it so.
  if (ctrlKey && key === ']') return GROUP_SEPARATOR;
  if (!ctrlKey && !metaKey && !altKey) return key;
  // Alt and digits make one character, which the browser does not tell.
  const isWithinCode = event.timeStamp - Math.max(lastKeyMs, lastKeyInFieldMs) < BETWEEN_KEYS_MS;
  const isPartOfCode = key.length === 1 && (isWithinCode || (altKey && /\d/.test(key)));
  return isPartOfCode ? UNREADABLE : null;
}

function hear(event: KeyboardEvent): void {
  if (event.key === 'Enter' && typed === '' && event.timeStamp - scannedAtMs < AFTER_SCAN_MS) {
    swallow(event);
    return;
  }
  const key = keyOf(event);
  if (key === null) return;
  if (isTyping(event.target)) {
    hearInField(event, key);
    return;
  }
  const gapMs = event.timeStamp - lastKeyMs;
  lastKeyMs = event.timeStamp;
  if (gapMs >= WITHIN_CODE_MS) forget();
  if (key === 'Enter') end(event);
  // No code begins with a blank, which presses a button.
  if (key.length !== 1 || (typed === '' && key === ' ')) return;
  if (key === UNREADABLE || (typed !== '' && gapMs >= BETWEEN_KEYS_MS)) isBroken = true;
  typed = (typed + key).slice(0, LONGEST_CODE);
  // A blank within a code presses no button.
  if (typed.length <= 1) return;
  event.preventDefault();
  clearTimeout(givingBack);
  givingBack = setTimeout(giveBack, BETWEEN_KEYS_MS);
}

/**
 * A scan into a field leaves its code there. In a search field it replaces the text before it. Its Enter does not send a
 * form of `NOT_SENT_BY_SCAN`.
 */
function hearInField(event: KeyboardEvent, key: string): void {
  const isFast = event.timeStamp - lastKeyInFieldMs < BETWEEN_KEYS_IN_FIELD_MS;
  lastKeyInFieldMs = event.timeStamp;
  if (key !== 'Enter') {
    const typedKey = key.length === 1 ? key : '';
    typedInField = isFast ? typedInField + typedKey : typedKey;
    return;
  }
  const code = typedInField;
  typedInField = '';
  if (!isFast || code.length < SHORTEST_CODE) return;
  const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search';
  if (isSearch && !code.includes(UNREADABLE)) searchFor(event.target, code);
  if (!(event.target instanceof Element) || event.target.closest(NOT_SENT_BY_SCAN) === null) return;
  swallow(event);
  scannedAtMs = event.timeStamp;
}

function searchFor(field: HTMLInputElement, code: string): void {
  field.value = code;
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** No Enter has followed. The keys stay typed, because a busy browser may hear the next one late. */
function giveBack(): void {
  const keys = typed.slice(passedOn);
  passedOn = typed.length;
  keptBackListeners.at(-1)?.(keys);
}

function forget(): void {
  typed = '';
  passedOn = 1;
  isBroken = false;
}

function end(event: KeyboardEvent): void {
  clearTimeout(givingBack);
  const [code, wasBroken] = [typed.trim(), isBroken];
  // A person types digits at the keypad.
  const isTypedByHand = wasBroken && keptBackListeners.length > 0;
  if (isTypedByHand) giveBack();
  forget();
  if (code.length < SHORTEST_CODE || isTypedByHand) return;
  swallow(event);
  scannedAtMs = event.timeStamp;
  if (wasBroken) for (const listener of brokenCodeListeners) listener();
  else listeners.at(-1)?.(code);
}

function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

function isTyping(target: EventTarget | null): boolean {
  // Letters choose in a list as well.
  return [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement].some((kind) => target instanceof kind);
}
