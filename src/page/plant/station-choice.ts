/** The fields that tell one machine from another. */
export interface Station {
  readonly machineId: string;
  readonly name: string;
  readonly area: string | null;
  /** Its place among those of the coils. */
  readonly location: string | null;
}

/** Machines that a person wants to see. */
export interface StationChoice {
  /** Null: the whole plant; '': the machines without an area. */
  readonly area: string | null;
  /** A text of the name or the id that is looked for. */
  readonly find: string;
}

/** The choice in the query of an address, `area=Hall+3&find=line+12`. */
export function choiceOf(query = ''): StationChoice {
  const asked = new URLSearchParams(query);
  return { area: asked.get('area'), find: asked.get('find') ?? '' };
}

export function queryOf({ area, find }: StationChoice): string {
  return `${new URLSearchParams({ ...(area !== null && { area }), ...(find !== '' && { find }) })}`;
}

export function isInArea(station: Pick<Station, 'area'>, area: string | null): boolean {
  return area === null || (station.area ?? '') === area;
}

export function isFound({ machineId, name }: Pick<Station, 'machineId' | 'name'>, find: string): boolean {
  const text = find.trim().toLowerCase();
  return text === '' || name.toLowerCase().includes(text) || machineId.toLowerCase().includes(text);
}
