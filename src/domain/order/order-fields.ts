/** The fields of an order (interface.md, Orders) as data: the check reads them, and so do the published documents. */

export type OrderFieldType = 'text' | 'number' | 'flag' | 'time';

/** A field is a plain value, one object, or a list of objects. Everything else in an order is kept unchanged (D-20). */
export type OrderField =
  | { readonly kind: OrderFieldType }
  | { readonly kind: 'object'; readonly fields: OrderFields }
  | { readonly kind: 'list'; readonly fields: OrderFields; readonly maxItems: number };

export interface OrderFields {
  readonly [name: string]: OrderField;
}

/** An order's summary has at most one row for each product, and other work waits while it is made. */
export const MAX_PRODUCTS = 1_000;
/** More bundles are refused with 400. */
export const MAX_BUNDLES_PER_PRODUCT = 10_000;
/** More items are refused with 400. */
export const MAX_ITEMS_PER_BUNDLE = 10_000;

function plain<const Names extends readonly string[]>(kind: OrderFieldType, names: Names): OrderFields {
  return Object.fromEntries(names.map((name) => [name, { kind }]));
}

function object(fields: OrderFields): OrderField {
  return { kind: 'object', fields };
}

const text = (...names: readonly string[]) => plain('text', names);
const number = (...names: readonly string[]) => plain('number', names);

const userData = object(text('user1', 'user2', 'user3', 'user4', 'user5'));

const customer = object(
  text(
    'code',
    'name',
    'address1',
    'address2',
    'city',
    'state',
    'postalCode',
    'country',
    'customerInstructions',
    'phone',
  ),
);

const schedule = object({
  ...plain('time', ['requiredDateTime', 'shipDate']),
  onHold: { kind: 'flag' },
  ...text('truckNumber', 'stagingBay', 'loadingDock'),
});

const toolingDetail = object({
  ...text('toolingCode', 'description', 'toolingGroup'),
  ...number('machineNumber', 'finishedWidth'),
});

const materialDetail = object({
  ...text('materialCode', 'description', 'color', 'type'),
  ...number('gauge', 'thickness', 'widthIn', 'coverIn', 'lbsPerFt'),
});

const items: OrderField = {
  kind: 'list',
  maxItems: MAX_ITEMS_PER_BUNDLE,
  fields: {
    ...text('itemId', 'message', 'punchPatternName', 'partOption', 'pieceMark', 'bundleGroup', 'stockKeepingUnit'),
    ...text('partLabelDef', 'bundleLabelDef'),
    ...number('quantity', 'partLengthIn', 'sequence'),
    userData,
  },
};

const bundles: OrderField = {
  kind: 'list',
  maxItems: MAX_BUNDLES_PER_PRODUCT,
  fields: { ...number('bundleNumber'), ...text('bundleCode'), userData, items },
};

const products: OrderField = {
  kind: 'list',
  maxItems: MAX_PRODUCTS,
  fields: {
    toolingDetail,
    materialDetail,
    bundles,
    ...text('message', 'workOrder', 'partLabelDef', 'bundleLabelDef'),
    ...number('maxBundleWeightLbs', 'maxBundlePieceCount'),
  },
};

export const ORDER_FIELDS: OrderFields = {
  ...text('documentID', 'orderCode', 'action', 'salesOrder', 'purchaseOrder'),
  importSentToAgent: { kind: 'flag' },
  customer,
  schedule,
  userData,
  products,
};
