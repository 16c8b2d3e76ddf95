const POOL_BYTES = 8_192;

/**
 * Cuts small buffers from blocks of 8 KiB. Node's blocks have 64 KiB, and one small buffer that a connection keeps for
 * days holds its whole block.
 */
export function useSmallBufferPool(): void {
  Buffer.poolSize = POOL_BYTES;
}
