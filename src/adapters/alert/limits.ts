/** Every bound of the traffic with mail servers and webhooks. */
export const LIMITS = {
  /** The time for one message, from the first packet to the last answer. */
  sendTimeoutMs: 20_000,
  /** Bytes read of a webhook's answer, for the words of a refusal. */
  answerBytes: 4_096,
  /** Characters of a server's own words that are passed on. */
  messageLength: 300,
} as const;
