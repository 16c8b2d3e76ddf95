export type JsonObject = Readonly<Record<string, unknown>>;

/** True for an object, false for null, arrays and everything else that JSON can hold. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a JSON object, else null. */
export function asJsonObject(value: unknown): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

/** The object that a text holds; null if the text is not JSON or holds something else. */
export function parseJsonObject(text: string): JsonObject | null {
  return asJsonObject(jsonOrNull(text));
}

/** The value that a text holds; null if the text is not JSON. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
