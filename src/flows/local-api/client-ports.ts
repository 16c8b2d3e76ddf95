/** A client of the broker that is connected now. `keepaliveMs` is 0 if none was agreed. */
export interface ConnectedClient {
  readonly clientId: string;
  readonly address: string;
  /** The time for which it has been connected. */
  readonly connectedMs: number;
  readonly keepaliveMs: number;
  /** It is one of the configured machines. */
  readonly isMachine: boolean;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: number }[];
  /** Bytes that were sent to it and are not taken by its network yet. */
  readonly bytesBehind: number;
}
