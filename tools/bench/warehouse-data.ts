import { openCore } from '../../src/adapters/store/thread/store-core.ts';
import { machineName } from './load-plan.ts';

/** A warehouse of the size that has to be served (TASK-02, COIL-05). */
export const COILS = 500_000;
export const TASKS = 100_000;
export const LOCATIONS = 400;
export const KEYS = Array.from({ length: 16 }, (_, index) => `warehouse-bench-key-${index + 10}`);

/** The part of it that is in the plant file, without the machines' claims. */
export function warehouseYaml(): string {
  const locations = Array.from(
    { length: LOCATIONS },
    (_, index) => `{ code: WH-${index}, name: Rack ${index}, category: Warehouse }`,
  );
  const keys = KEYS.map((key) => `{ principal: ${key}, key: ${key}, role: business }`);
  return `locations: [ ${locations.join(', ')} ]\napiKeys: [ ${keys.join(', ')} ]\n`;
}

/** Writes coils, and tasks for `machines` machines, into an unused data directory. */
export function fillWarehouse(dataDir: string, machines: number): void {
  const retention = { variableDays: 90, statusDays: 30, productionDays: 30, auditDays: 730 };
  const { connection, lock } = openCore({
    dataDir,
    runId: 'fill',
    retention,
    forwarding: null,
    series: [],
    suspect: false,
  });
  connection.exec(`
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${COILS - 1})
    INSERT INTO coil (coil_id, json)
    SELECT 'C-' || (70000 + i * 7 % 1000003), json_object(
      'coilId', 'C-' || (70000 + i * 7 % 1000003),
      'materialCode', 'G' || (16 + i % 14) || '-' || (i % 60),
      'description', (16 + i % 14) || ' ga Barn red prime ' || (i % 97),
      'materialType', CASE i % 3 WHEN 0 THEN 'Galvalume' WHEN 1 THEN 'Galvanized' ELSE 'Aluminum' END,
      'color', CASE i % 5 WHEN 0 THEN 'White' WHEN 1 THEN 'Barn red' WHEN 2 THEN 'Charcoal' WHEN 3 THEN 'Plain' ELSE 'Green' END,
      'gauge', 16 + i % 14, 'widthIn', 20.0 + (i % 40) / 2.0, 'lengthStartFt', 3000 + i % 3000,
      'lengthRemainingFt', (i * 37 % 3000) + 0.5, 'currentWeightLbs', 5000 + i * 13 % 9000,
      'isComplete', json(iif(i % 10 = 0, 'true', 'false')), 'isStarted', json(iif(i % 7 = 0, 'true', 'false')),
      'location', 'WH-' || (i % ${LOCATIONS}),
      'dateIn', '2026-01-' || printf('%02d', 1 + i % 28) || 'T08:' || printf('%02d', i % 60) || ':00',
      'vendorName', CASE i % 3 WHEN 0 THEN 'Great Lakes Coil' WHEN 1 THEN 'Ohio Valley Steel' ELSE 'Summit Metals' END,
      'heatNumber', 'H' || (83000 + i * 17), 'purchaseOrder', 'PO-' || (5100 + i / 4)) FROM n;
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${TASKS - 1})
    INSERT INTO task (task_id, machine_id, json)
    SELECT 'T-' || (1000 + i * 7 % 100003), '${machineName(0).slice(0, -1)}' || (i * 31 % ${machines}), json_object(
      'taskId', 'T-' || (1000 + i * 7 % 100003),
      'taskType', CASE i % 4 WHEN 0 THEN 'MachineToWarehouse' ELSE 'WarehouseToMachine' END,
      'taskState', CASE i % 5 WHEN 0 THEN 'Pending' WHEN 1 THEN 'Ready' WHEN 2 THEN 'InProcess' WHEN 3 THEN 'InTransit' ELSE 'Complete' END,
      'coilType', json_object('coilTypeCode', 'G26-WHT', 'materialType', 'Galvalume', 'color', 'White', 'gauge', 26,
        'widthIn', 41.5625, 'lbsPerFt', 2.86),
      'requiredFt', 100.5, 'sourceLocation', 'WH-1', 'destinationLocation', 'WH-' || (i % ${LOCATIONS}),
      'requiredDate', strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + (i * 7919 % 100003) * 60, 'unixepoch'),
      'availableDate', NULL, 'startedDate', NULL, 'completedDate', NULL, 'selectedCoilId', NULL,
      'preferredCoilIds', json_array('C-70007', 'C-70014'), 'userName', NULL, 'overrideReason', NULL,
      'unattainableReason', NULL) FROM n;
  `);
  connection.close();
  lock.close();
}
