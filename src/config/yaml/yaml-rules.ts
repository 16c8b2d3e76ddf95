import type { YAMLError } from 'yaml';

/**
 * The rule of YAML that each fault of syntax breaks. The parser's own words are not used, because they may quote a
 * secret.
 */
export const YAML_RULES: Readonly<Record<YAMLError['code'], string>> = {
  ALIAS_PROPS: 'an alias has neither anchor nor tag',
  BAD_ALIAS: 'an alias names an anchor that stands before it',
  BAD_COLLECTION_TYPE: 'a tag fits the kind of its value',
  BAD_DIRECTIVE: 'a line that begins with % is a known directive',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins a known escape',
  BAD_INDENT: 'what belongs together is indented alike',
  BAD_PROP_ORDER: 'anchors and tags stand right before their value',
  BAD_SCALAR_START: 'a text that begins with @, ` or another sign of YAML stands in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a map or list begins on a line of its own; a text with ": " in it stands in quotes',
  BLOCK_IN_FLOW: 'within { } and [ ] everything has this form',
  DUPLICATE_KEY: 'each key stands once',
  IMPOSSIBLE: 'the text can be parsed',
  KEY_OVER_1024_CHARS: 'a key has at most 1024 characters',
  MISSING_CHAR: 'quotes, brackets, commas and colons are all there',
  MULTILINE_IMPLICIT_KEY: 'a key stands on one line and is followed by a colon',
  MULTIPLE_ANCHORS: 'a value has at most one anchor',
  MULTIPLE_DOCS: 'a file holds one document',
  MULTIPLE_TAGS: 'a value has at most one tag',
  NON_STRING_KEY: 'a key is a text',
  RESOURCE_EXHAUSTION: 'aliases do not multiply',
  TAB_AS_INDENT: 'lines are indented by spaces, not by tabs',
  TAG_RESOLVE_FAILED: 'a tag is one of YAML’s own',
  UNEXPECTED_TOKEN: 'nothing stands behind a value that has ended',
};
