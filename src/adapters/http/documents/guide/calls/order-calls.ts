import type { BusinessTopic } from './business-call.ts';

const ITEM = {
  itemId: 'I-1',
  quantity: 10,
  partLengthIn: 120,
  message: null,
  punchPatternName: null,
  partOption: null,
  userData: { user1: null, user2: null, user3: null, user4: null, user5: null },
  sequence: 1,
  pieceMark: 'A1',
  bundleGroup: null,
  stockKeepingUnit: null,
  partLabelDef: null,
  bundleLabelDef: null,
};

const PRODUCT = {
  toolingDetail: {
    toolingCode: 'AG-36',
    description: 'Ag panel',
    machineNumber: 1,
    finishedWidth: 36,
    toolingGroup: 'Panels',
  },
  materialDetail: {
    materialCode: 'G26-WHT',
    description: '26 ga White',
    gauge: 26,
    thickness: 0.0179,
    widthIn: 41.5625,
    color: 'White',
    type: 'Galvalume',
    coverIn: 36,
    lbsPerFt: 2.86,
  },
  bundles: [
    {
      bundleNumber: 1,
      bundleCode: 'B-1',
      userData: { user1: null, user2: null, user3: null, user4: null, user5: null },
      items: [ITEM],
    },
  ],
  message: null,
  workOrder: 'W-1',
  maxBundleWeightLbs: 4000,
  maxBundlePieceCount: 50,
  partLabelDef: null,
  bundleLabelDef: null,
};

const ORDER = {
  documentID: 'DOC-1',
  orderCode: 'SO-41001',
  action: 'Put',
  customer: {
    code: 'C-12',
    name: 'Alder Barns',
    address1: '1 Mill Road',
    address2: null,
    city: 'Alder',
    state: 'OH',
    postalCode: '43001',
    country: 'US',
    customerInstructions: 'Call first',
    phone: '555-0100',
  },
  schedule: {
    requiredDateTime: '2026-03-02T12:00:00Z',
    shipDate: '2026-03-03',
    onHold: false,
    truckNumber: 'TR-4',
    stagingBay: 'ST-1',
    loadingDock: 'LD-1',
  },
  userData: { user1: 'barn 7', user2: null, user3: null, user4: null, user5: null },
  products: [PRODUCT],
  importSentToAgent: false,
  salesOrder: 'S-77',
  purchaseOrder: 'PO-9',
};

const SUMMARY = `- orderCode: "SO-41001"
  documentIDs:
    - "DOC-1"
  customer: "Alder Barns"
  salesOrder: "S-77"
  purchaseOrder: "PO-9"
  requiredDateTime: "2026-03-02T12:00:00Z"
  shipDate: "2026-03-03"
  onHold: false
  materialCode: "G26-WHT"
  toolingCode: "AG-36"
  workOrders:
    - "W-1"
  bundles: 1
  items: 1
  pieces: 10
  lengthFt: 100
`;

export const ORDER_CALLS: BusinessTopic = {
  id: 'orders',
  heading: 'Send an order',
  calls: [
    {
      about: 'It is added, or replaces the order of this documentID',
      method: 'POST',
      path: '/orders/add',
      body: ORDER,
      status: 200,
      answer: SUMMARY,
    },
    {
      about:
        'The summary has a row for each order, material and tooling; skip, take, requiredAfter and requiredBefore narrow it',
      method: 'GET',
      path: '/orders/orderSummary?orderCode=SO-41001',
      status: 200,
      answer: SUMMARY,
    },
    {
      about: 'The same by its other name',
      method: 'GET',
      path: '/orders/orderSummaries?workOrder=W-1',
      status: 200,
      answer: SUMMARY,
    },
    {
      about: 'The order as it was sent, by its documentID or its orderCode',
      method: 'GET',
      path: '/orders/DOC-1',
      status: 200,
      answer: ORDER,
    },
    {
      about: 'It is removed, by its documentID or its orderCode; the answer is what was removed',
      method: 'DELETE',
      path: '/orders/DOC-1',
      status: 200,
      answer: SUMMARY,
    },
  ],
};
