import { characterOf, GROUP_SEPARATOR, isEnter, keepsPace, type PlaceInCode, UNREADABLE } from './scanned-key.ts';

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

/** Hears keys that came as fast as a scan but were none, such as a PIN; null: the keys before belong to a scan. */
type KeptBackListener = (keys: string | null) => void;

/** Why a code is no scan: it came in pieces or slowly, so it may have lost characters, or a key gave no character. */
export type BrokenCode = 'slow' | 'unreadable';

type BrokenCodeListener = (why: BrokenCode) => void;

/** The place that is shown hears the scan; without one, the page does. */
const listeners: ScanListener[] = [];

const keptBackListeners: KeptBackListener[] = [];
const brokenCodeListeners: BrokenCodeListener[] = [];

let typed = '';
/** Whether a key of `typed` came later than the keys of a scan do. */
let isSlow = false;
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
export function onKeptBack(listener: KeptBackListener): () => void {
  keptBackListeners.push(listener);
  return () => {
    keptBackListeners.splice(keptBackListeners.indexOf(listener), 1);
  };
}

/** Hears that a code is no scan. */
export function onBrokenCode(listener: BrokenCodeListener): void {
  brokenCodeListeners.push(listener);
}

export function followScanner(): void {
  document.addEventListener('keydown', hear, { capture: true });
}

function hear(event: KeyboardEvent): void {
  const isSecondEnter = typed === '' && typedInField === '' && event.timeStamp - scannedAtMs < AFTER_SCAN_MS;
  if (event.key === 'Enter' && isSecondEnter) swallow(event);
  else if (isTyping(event.target)) hearInField(event);
  else hearOutside(event);
}

function hearOutside(event: KeyboardEvent): void {
  const gapMs = event.timeStamp - lastKeyMs;
  const isFast = gapMs < BETWEEN_KEYS_MS;
  if (gapMs >= WITHIN_CODE_MS) forget();
  if (isEnter(event)) end(event);
  const character = characterOf(event, typed === '' ? 'first' : isFast ? 'within' : 'late');
  if (character !== '' || keepsPace(event)) lastKeyMs = event.timeStamp;
  // No code begins with a blank, which presses a button.
  if (character === '' || (typed === '' && character === ' ')) return;
  if (typed !== '' && !isFast) isSlow = true;
  typed = (typed + character).slice(0, LONGEST_CODE);
  // A blank within a code presses no button. The keypad takes a digit back at once.
  if (typed.length <= 1 || event.key === 'Backspace') return;
  event.preventDefault();
  clearTimeout(givingBack);
  givingBack = setTimeout(giveBack, BETWEEN_KEYS_MS);
}

/** A scan into a field leaves its code there. */
function hearInField(event: KeyboardEvent): void {
  const isFast = event.timeStamp - lastKeyInFieldMs < BETWEEN_KEYS_IN_FIELD_MS;
  if (isEnter(event)) {
    const code = typedInField;
    typedInField = '';
    if (isFast && code.length >= SHORTEST_CODE) endInField(event, code);
    return;
  }
  const character = characterInField(event, isFast && typedInField !== '' ? 'within' : 'first');
  if (character === '' && !keepsPace(event)) return;
  lastKeyInFieldMs = event.timeStamp;
  typedInField = isFast ? typedInField + character : character;
  if (character === '\t') leaveField(event);
}

function characterInField(event: KeyboardEvent, place: PlaceInCode): string {
  const character = characterOf(event, place);
  if (character !== GROUP_SEPARATOR) return character;
  // A person enlarges the page by Ctrl and `+`, which is the same key at a German keyboard.
  const mayBeShortcut = place === 'first' && event.ctrlKey && event.key !== ']';
  return !mayBeShortcut && typeSeparator(event) ? character : UNREADABLE;
}

/** The browser types no group separator by itself. False if the field takes none. */
function typeSeparator(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) || target.readOnly) return false;
  const { selectionStart, selectionEnd } = target;
  if (selectionStart === null || selectionEnd === null) return false;
  event.preventDefault();
  target.setRangeText(GROUP_SEPARATOR, selectionStart, selectionEnd, 'end');
  target.dispatchEvent(new Event('input', { bubbles: true }));
  return true;
}

/** The keys behind a Tab go to the next field, and are a code of their own there; or they go on outside the fields. */
function leaveField(event: KeyboardEvent): void {
  forget();
  typed = typedInField;
  lastKeyMs = event.timeStamp;
  typedInField = '';
}

/**
 * In a search field a code replaces the text before it. Its Enter does not send a form of `NOT_SENT_BY_SCAN`, and none
 * with a code that lacks a key.
 */
function endInField(event: KeyboardEvent, code: string): void {
  const { target } = event;
  const isReadable = !code.includes(UNREADABLE);
  forget();
  scannedAtMs = event.timeStamp;
  if (isReadable && target instanceof HTMLInputElement && target.type === 'search') searchFor(target, code);
  if (isReadable && !(target instanceof Element && target.closest(NOT_SENT_BY_SCAN) !== null)) return;
  swallow(event);
  if (isReadable) return;
  // The next scan replaces what stands there.
  if (target instanceof HTMLInputElement) target.select();
  tellBroken('unreadable');
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
  isSlow = false;
}

function end(event: KeyboardEvent): void {
  clearTimeout(givingBack);
  const [code, wasSlow] = [typed.trim(), isSlow];
  // A person types digits at the keypad.
  const isTypedByHand = wasSlow && keptBackListeners.length > 0;
  if (isTypedByHand) giveBack();
  forget();
  if (code.length < SHORTEST_CODE || isTypedByHand) return;
  swallow(event);
  typedInField = '';
  scannedAtMs = event.timeStamp;
  keptBackListeners.at(-1)?.(null);
  if (code.includes(UNREADABLE) || code.includes('\t')) tellBroken('unreadable');
  else if (wasSlow) tellBroken('slow');
  else listeners.at(-1)?.(code);
}

function tellBroken(why: BrokenCode): void {
  for (const listener of brokenCodeListeners) listener(why);
}

function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

function isTyping(target: EventTarget | null): boolean {
  // Letters choose in a list as well.
  return [HTMLInputElement, HTMLTextAreaElement, HTMLSelectElement].some((kind) => target instanceof kind);
}
