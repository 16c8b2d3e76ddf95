/**
 * A receipt that an operation of another gateway was carried out here, so that its repetition changes nothing; written in the commit of
 * what it did.
 */
export interface OperationReceipt {
  readonly kind: 'receivedOperation';
  readonly operationId: string;
  readonly gatewayId: string;
  /** When it was received, in wall-clock milliseconds. */
  readonly at: number;
}
