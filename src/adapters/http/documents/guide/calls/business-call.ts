/** One call of `/api/v1` in the guide, with the answer that a gateway gave to it. */
export interface BusinessCall {
  readonly about: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** A text is YAML. It is left out where the answer has no body. */
  readonly answer?: object | string;
}

/** The calls of one piece of work, in an order in which they can be tried. */
export interface BusinessTopic {
  readonly id: string;
  readonly heading: string;
  readonly calls: readonly BusinessCall[];
}
