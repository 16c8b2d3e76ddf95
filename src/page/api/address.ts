/** Whether this is `plantgate central`, which has no central server of its own. The gateway says so in the document. */
export const isCentral = document.documentElement.dataset.role === 'central';
/** Whether the server has several plants, by the document too. */
export const hasSeveralPlants = document.documentElement.dataset.plants === 'several';

/** `/plant/tulsa/orders`: the plant, and the address within it (D-108). */
const WITH_PLANT = /^\/plant\/([a-z0-9-]+)(\/.*)?$/;

/** The plant that this document shows; null: none is chosen yet, or the server has one. Another plant is another document. */
let shown = hasSeveralPlants ? (WITH_PLANT.exec(location.pathname)?.[1] ?? null) : null;

export function shownPlantId(): string | null {
  return shown;
}

/** Shows this plant, if the address names none. */
export function showPlant(plantId: string): void {
  if (shown !== null) return;
  shown = plantId;
  history.replaceState(null, '', addressOf(location.pathname) + location.search);
}

/** The address of a place or a call, in the shown plant or in another; one that names its plant stays as it is. The only place where the page makes addresses of calls. */
export function addressOf(path: string, plantId = shown): string {
  return plantId === null || path.startsWith('/plant/') ? path : `/plant/${plantId}${path}`;
}

/** Whether a scanned address is about another plant than the shown one, which may have another record of the same id. */
export function isInOtherPlant(code: string): boolean {
  const plantId = /\/plant\/([a-z0-9-]+)\//.exec(code)?.[1] ?? shown;
  return plantId !== shown;
}

/** The address without its plant. */
export function withinPlant(pathname: string): string {
  const [whole, , path = '/'] = (shown === null ? null : WITH_PLANT.exec(pathname)) ?? [];
  return whole === undefined ? pathname : path;
}
