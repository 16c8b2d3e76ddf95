import * as Type from 'typebox';
import { shiftDates } from '../../../domain/shift/shift-dates.ts';
import type { LocalApiFlow } from '../../../flows/local-api/local-api-flow.ts';
import type { ProductionRow } from '../../../flows/local-api/local-api-ports.ts';
import type { FleetProductionViews } from '../../../flows/receive/received-views.ts';
import { csvAnswer } from '../answers/csv-pages.ts';
import { LIMITS } from '../limits.ts';
import { type ApiRoute, described, getBy } from '../requests/api-route.ts';
import { askedGateways, PLANT_OF_GATEWAYS, UP_TO } from './production-routes.ts';
import { CSV, CSV_FORM, DATE, ID } from './shapes.ts';

const QUERY = Type.Object(
  {
    from: DATE,
    to: DATE,
    machineId: Type.Optional(ID),
    gatewayId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'of a gateway that sends here; * for all of them' }),
    ),
    plantId: Type.Optional(PLANT_OF_GATEWAYS),
    upTo: Type.Optional(UP_TO),
    ...CSV_FORM,
  },
  { additionalProperties: false },
);

const COLUMNS = [
  'shiftDate',
  'shift',
  'machineId',
  'machineName',
  'goodParts',
  'badParts',
  'cycles',
  'runningSeconds',
  'stoppedSeconds',
  'downSeconds',
  'faultSeconds',
  'overrideSeconds',
  'offlineSeconds',
] as const satisfies readonly (keyof ProductionRow)[];

/** The plant comes last, so that programs which read by place go on reading. */
const COLUMNS_OF_FLEET = [...COLUMNS, 'plantId'] as const;

/** Production of every shift as CSV, for a spreadsheet (contract.md, Local API). */
export function productionExportRoutes(api: LocalApiFlow, fleet: FleetProductionViews): readonly ApiRoute[] {
  return [
    getBy(
      '/production.csv',
      'technician',
      QUERY,
      described('Exports production by shift', CSV),
      ({ query, identity }) => {
        const { from, to, machineId = null } = query;
        const dates = shiftDates(from, to, LIMITS.exportedDays);
        const asked = askedGateways(query, identity);
        const fileName = `production-${from}-${to}.csv`;
        return asked === null
          ? csvAnswer(fileName, COLUMNS, api.exportProduction(machineId, dates))
          : csvAnswer(fileName, COLUMNS_OF_FLEET, fleet.sums.exportTotals({ ...asked, from, to, machineId }));
      },
    ),
  ];
}
