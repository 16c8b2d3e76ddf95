const WITHOUT_ZONE = /[Tt ]\d\d:[\d:.]+$/;

/** The moment that a text names, ISO 8601; without a zone it is taken for UTC. NaN: it names none. */
export function instantOf(text: string): number {
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
}
