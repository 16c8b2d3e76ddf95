/** A record as JSON: the whole, and its id with the fields that changed. */
export interface RecordTexts {
  readonly whole: string;
  readonly changed: string;
}

/** The fields of each machine as they were sent last: 200 machines that speak twice a second change a few fields each time. */
export class ChangedFields {
  readonly #sent = new Map<string, ReadonlyMap<string, string>>();

  /** The texts of a machine's record, which count as sent. The first record of a machine has changed as a whole. */
  take(machineId: string, record: object): RecordTexts {
    const before = this.#sent.get(machineId);
    const fields = new Map(
      Object.entries(record).map(([name, value]) => [name, `${JSON.stringify(name)}:${JSON.stringify(value)}`]),
    );
    this.#sent.set(machineId, fields);
    const isNews = (name: string, text: string) => name === 'machineId' || before?.get(name) !== text;
    return {
      whole: objectText([...fields.values()]),
      changed: objectText([...fields].filter(([name, text]) => isNews(name, text)).map(([, text]) => text)),
    };
  }

  clear(): void {
    this.#sent.clear();
  }
}

function objectText(fields: readonly string[]): string {
  return `{${fields.join(',')}}`;
}
