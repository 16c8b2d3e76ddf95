/** The records of a CSV text by RFC 4180, for tests. Throws if the text is not CSV. */
export function readCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = [];
  let rest = text;
  while (rest !== '') {
    const record: string[] = [];
    for (;;) {
      const field = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
      if (field === null) throw new Error(`no CSV at ${JSON.stringify(rest.slice(0, 40))}`);
      const [whole, quoted, plain = '', end] = field;
      record.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
      rest = rest.slice(whole.length);
      if (end === '\r\n') break;
    }
    records.push(record);
  }
  return records;
}
