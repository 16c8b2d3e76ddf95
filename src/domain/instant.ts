const WITHOUT_ZONE = /[Tt ]\d\d:[\d:.]+$/;

/** The time that an ISO 8601 text names; without a zone it counts as UTC. NaN if the text names no time. */
export function instantOf(text: string): number {
  return Date.parse(WITHOUT_ZONE.test(text) ? `${text}Z` : text);
}
