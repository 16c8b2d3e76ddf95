/** Bytes per second of the slowest line on which a batch arrives (D-27). Sender and receiver give each body that long. */
const SLOWEST_UPLINK_BYTES_PER_SECOND = 16_384;

/** The time that a body takes on the slowest line, in whole seconds. */
export function uploadMs(bytes: number): number {
  return Math.floor(bytes / SLOWEST_UPLINK_BYTES_PER_SECOND) * 1_000;
}
