/** An address of each place of the page, in the plant under test. */
export const PLACES = [
  '/',
  '/stops',
  '/machine/RF-01',
  '/machine/RF-02/part',
  '/tasks',
  '/task/T-1005',
  '/coils',
  '/coil/C-70009',
  '/orders',
  '/profiles',
  '/profile/6f2f3f36-6d0c-4a3b-9d3c-0b6f3f1d2a11',
  '/sync',
  '/events',
  '/admin',
  '/set-up',
  '/more',
];
