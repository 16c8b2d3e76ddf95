/** A list that cannot be taken apart is read in one go, and others wait for it: so much at most, in characters. */
const MAX_WHOLE_LENGTH = 256 * 1024;

/**
 * Takes a YAML list apart into its items, each a list of one, so that none of them takes long to read. Only a plain list in
 * block style is taken apart: `- ` at the beginning of each item's first line, everything else of it farther in.
 * Throws where it is too long for one go.
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
  return text.startsWith('- ') && !/^(?!- | |\r?$)/m.test(text) && !/[&*]\w/.test(text.slice(0, 1_024));
}
