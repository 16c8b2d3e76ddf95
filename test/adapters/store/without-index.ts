/** SQL that makes a change of which an index learns nothing, as after damage on the disk. It needs `unsafeMode`. */
export function withoutIndex(index: string, change: string): string {
  return `
    CREATE TEMP TABLE known AS SELECT * FROM main.sqlite_schema WHERE name = '${index}';
    PRAGMA writable_schema = ON;
    DELETE FROM sqlite_schema WHERE name = '${index}';
    PRAGMA writable_schema = RESET;
    ${change};
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema SELECT * FROM known;
    PRAGMA writable_schema = RESET;
  `;
}
