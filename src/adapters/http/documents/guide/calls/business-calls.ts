import type { BusinessTopic } from './business-call.ts';
import { ORDER_CALLS } from './order-calls.ts';
import { TASK_CALLS } from './task-calls.ts';

/** The id that the gateway gave to the profile of the examples. */
export const PROFILE_ID = '50e32af9-5a9a-48d3-939a-8357e8f5fc70';

const FEATURES = [
  { type: 'Straight', length: 3, name: 'Leg' },
  { type: 'Angle', angle: -104 },
  { type: 'Straight', length: 4 },
];

const PROFILE = {
  profileId: PROFILE_ID,
  revision: 1,
  profileName: 'Eave trim',
  description: null,
  owningCatalogId: 1,
  category: 'Trim',
  subCategory: null,
  paintedSide: null,
  features: FEATURES.map((feature) => ({ ...feature, hemHeight: 0 })),
  blankWidth: 7,
  archived: false,
  createdBy: 'erp',
  createdDate: '2026-03-02T09:41:07.337Z',
  editedBy: 'erp',
  editedDate: '2026-03-02T09:41:07.337Z',
};

const PROFILE_CALLS: BusinessTopic = {
  id: 'profiles',
  heading: 'Send a profile',
  calls: [
    {
      about: 'Catalogs decide which machines get a profile',
      method: 'GET',
      path: '/catalogs',
      status: 200,
      answer: [{ catalogId: 1, name: 'Standard', isDefault: true }],
    },
    {
      about: 'It is made',
      method: 'POST',
      path: '/profiles',
      body: { profileName: 'Eave trim', category: 'Trim', features: FEATURES },
      status: 200,
      answer: PROFILE,
    },
    {
      about: 'Profiles of a category, without archived ones',
      method: 'GET',
      path: '/profiles?category=Trim&skip=0&take=100',
      status: 200,
      answer: [PROFILE],
    },
    { about: 'One profile', method: 'GET', path: `/profiles/${PROFILE_ID}`, status: 200, answer: PROFILE },
    {
      about: 'A new revision is the whole profile',
      method: 'PUT',
      path: `/profiles/${PROFILE_ID}`,
      body: {
        profileName: 'Eave trim',
        description: 'For open eaves',
        category: 'Trim',
        subCategory: 'Eave',
        paintedSide: 'Positive',
        owningCatalogId: 1,
        features: FEATURES,
      },
      status: 200,
      answer: {
        ...PROFILE,
        revision: 2,
        description: 'For open eaves',
        subCategory: 'Eave',
        paintedSide: 'Positive',
        editedDate: '2026-03-02T09:43:12.101Z',
      },
    },
    { about: 'It is archived', method: 'DELETE', path: `/profiles/${PROFILE_ID}`, status: 204 },
  ],
};

const COIL = {
  coilId: 'C-70009',
  materialCode: 'G26-WHT',
  description: '26 ga White',
  materialType: 'Galvalume',
  color: 'White',
  gauge: 26,
  widthIn: 41.5625,
  lengthStartFt: 6000,
  lengthRemainingFt: 5960,
  currentWeightLbs: 17046,
  isComplete: false,
  isStarted: true,
  location: 'WH-A1',
  dateIn: '2026-02-20T08:00:00',
  vendorName: 'Great Lakes Coil',
  heatNumber: 'H83000',
  purchaseOrder: 'PO-5100',
};

const COIL_CALLS: BusinessTopic = {
  id: 'coils',
  heading: 'Find and move a coil',
  calls: [
    {
      about: 'Coils at a place, without used up ones',
      method: 'GET',
      path: '/coils?location=WH-A1&includeComplete=false&skip=0&take=100',
      status: 200,
      answer: [COIL],
    },
    {
      about: 'Coils with these words, the longest first',
      method: 'GET',
      path: '/coils/search?q=white&materialType=Galvalume&minimumLengthFt=5000&sort=-lengthRemainingFt&take=20',
      status: 200,
      answer: { total: 1, skip: 0, take: 20, items: [COIL] },
    },
    {
      about: 'It is moved; with 503 see Plantgate-Outcome',
      method: 'POST',
      path: '/coils/C-70009/location',
      body: { location: 'WH-B2' },
      status: 200,
    },
    {
      about: 'One coil',
      method: 'GET',
      path: '/coils/C-70009',
      status: 200,
      answer: { ...COIL, location: 'WH-B2' },
    },
  ],
};

const CHANGE_CALLS: BusinessTopic = {
  id: 'changes',
  heading: 'Follow changes instead of polling lists',
  calls: [
    {
      about:
        'It begins now: read the lists once, then ask with after= and the cursor. An entry names a task, coil, order or profile to read again; its id is null where many changed. Changes are kept for 7 days; at reset begin anew',
      method: 'GET',
      path: '/changes',
      status: 200,
      answer: { cursor: '3f2a9c0d5b7e1846.7', more: false, reset: true, changes: [] },
    },
  ],
};

/** Every call of the business interface. A test makes all of them, and compares the answers. */
export const BUSINESS_CALLS: readonly BusinessTopic[] = [
  TASK_CALLS,
  COIL_CALLS,
  ORDER_CALLS,
  PROFILE_CALLS,
  CHANGE_CALLS,
];
