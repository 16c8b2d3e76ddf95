/** One step of the schema. Numbers count up from 1 without gaps; a step that was shipped never changes. */
export interface Migration {
  readonly number: number;
  readonly sql: string;
}
