/** The maximum length, in characters, of a list that cannot be split: it is read in one go, and other work waits. */
const MAX_WHOLE_LENGTH = 256 * 1024;
/** Aliases are looked for in this much of a list. An item with a later one cannot be read by itself, so the list is refused. */
const ANCHOR_SEARCH_LENGTH = 1_024;

/**
 * Splits a YAML list into its items, each a list of one, so that none of them takes long to read. Only a plain list in
 * block style is split: `- ` stands at the beginning of each item's first line, and its other lines are indented.
 * Throws if the list cannot be split and is too long for one go.
 */
export function* yamlItems(text: string): Generator<string> {
  if (!isPlainList(text)) {
    if (text.length > MAX_WHOLE_LENGTH) throw new Error(`a list of ${text.length} characters that is no plain one`);
    yield text;
    return;
  }
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('\n- ', from);
    const end = next < 0 ? text.length : next + 1;
    yield text.slice(from, end);
    from = end;
  }
}

/** Whether each line begins an item or stands farther in. */
function isPlainList(text: string): boolean {
  return text.startsWith('- ') && !/^(?!- | |\r?$)/m.test(text) && !/[&*]\w/.test(text.slice(0, ANCHOR_SEARCH_LENGTH));
}
