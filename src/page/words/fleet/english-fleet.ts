/** Texts of the place Plants, which are loaded with it. */
export const englishFleet = {
  all: (count: number) => `All ${count}`,
  look: (count: number) => `Need a look: ${count}`,
  columns: {
    name: 'Plant, gateway',
    need: 'Need a person',
    contact: 'Last contact',
    waiting: 'Records waiting',
    clock: 'Clock error',
    disk: 'Disk free',
    version: 'Version',
  },
  openAlerts: 'Open alerts',
  rename: 'Change the name',
  retire: 'Retire this gateway',
  retireMeans: 'It leaves all lists, and its id is free. What its machines made stays until it is old.',
};
