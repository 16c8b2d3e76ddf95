/** A record as JSON: the whole, and its id with the fields that changed. */
export interface RecordTexts {
  readonly whole: string;
  readonly changed: string;
}

/** The fields of each machine as they were sent last: 200 machines that speak twice a second change a few fields each time. */
export class ChangedFields {
  readonly #sent = new Map<string, ReadonlyMap<string, string>>();

  /**
   * The texts of a machine's record, which count as sent. The first record of a machine has changed as a whole; later ones
   * have the same fields.
   */
  take(machineId: string, record: Readonly<Record<string, unknown>>): RecordTexts {
    const before = this.#sent.get(machineId);
    const fields = new Map<string, string>();
    const changed: string[] = [];
    for (const [name, value] of Object.entries(record)) {
      if (value === undefined) continue;
      const text = `"${name}":${JSON.stringify(value)}`;
      fields.set(name, text);
      if (name === 'machineId' || before?.get(name) !== text) changed.push(text);
    }
    this.#sent.set(machineId, fields);
    return { whole: `{${[...fields.values()].join(',')}}`, changed: `{${changed.join(',')}}` };
  }

  /** The next record of each machine counts as changed as a whole. */
  clear(): void {
    this.#sent.clear();
  }
}
