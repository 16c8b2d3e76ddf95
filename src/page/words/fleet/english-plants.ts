/** Texts about the plants of a server with several, which are loaded with its parts of the page. */
export const englishPlants = {
  plant: 'Plant',
  choose: (name: string) => `Plant: ${name}. Show another`,
  another: 'Which plant?',
  foreign: 'The plant in this address is not one of yours',
  foreignHint: 'You may look at these:',
  none: 'You may look at no plant of this server. An administrator can change that.',
  plants: 'Plants',
  all: 'All plants',
};
