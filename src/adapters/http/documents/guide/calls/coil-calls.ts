import type { BusinessTopic } from './business-call.ts';

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

export const COIL_CALLS: BusinessTopic = {
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
