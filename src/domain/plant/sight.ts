/** The plants and gateways that a caller may know of: to it the others are not there (D-109). */
export interface Sight {
  /** The caller is for every plant. */
  readonly isWhole: boolean;
  readonly ofPlant: (plantId: string) => boolean;
  /** A gateway of no known plant, as a retired one, is there for callers for every plant alone. */
  readonly ofGateway: (gatewayId: string) => boolean;
}

export const WHOLE_SIGHT: Sight = { isWhole: true, ofPlant: () => true, ofGateway: () => true };
