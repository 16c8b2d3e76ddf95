import type { BusinessTopic } from './business-call.ts';

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

export const PROFILE_CALLS: BusinessTopic = {
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
