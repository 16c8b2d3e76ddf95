/**
 * Texts without the difference between upper and lower case, in every language (D-44). SQLite's own lower() and NOCASE
 * know the letters of English alone. It is a function of SQL on every connection (connection.ts).
 */
export function folded(text: string): string {
  return text.toLowerCase();
}

/**
 * The condition that a column has a text in any case. `sought` is folded, `parameter` its place in the SQL. A text with
 * other letters is only found in texts with other letters: `folded` is slow, so it is called for these alone.
 */
export function isSpelled(column: string, parameter: string, sought: string): string {
  if (!hasOtherLetters(sought)) return `${column} = ${parameter} COLLATE NOCASE`;
  return `CASE WHEN octet_length(${column}) > length(${column}) THEN folded(${column}) = ${parameter} END`;
}

/** Whether a text has letters that are not English. */
export function hasOtherLetters(text: string): boolean {
  return /[^\p{ASCII}]/u.test(text);
}
