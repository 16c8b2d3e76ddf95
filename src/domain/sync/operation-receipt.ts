/**
 * A receipt that an operation of another gateway was carried out here, so that its repetition changes nothing. It is
 * written in the commit of the operation.
 */
export interface OperationReceipt {
  readonly kind: 'receivedOperation';
  readonly operationId: string;
  readonly gatewayId: string;
  /** The time at which it was received, in wall-clock milliseconds. */
  readonly at: number;
}
