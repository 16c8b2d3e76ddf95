import { describe, expect, it } from 'vitest';
import { readPlantFile } from '../../../src/config/plant-file/read-plant-file.ts';
import { PLANT_CODECS } from '../../../src/domain/plant/plant-codecs.ts';
import type { PlantContents, PlantFile } from '../../../src/domain/plant/plant-entry.ts';
import { checkPlant } from '../../../src/domain/plant/plant-rules.ts';
import { simulatedMachines } from '../../../src/simulator/machine/rolling-line.ts';
import { samplePlant } from '../../../src/simulator/plant/sample-plant.ts';
import { REASON_OF_OTHERS, REASON_OF_STOP } from '../../../src/simulator/plant/sample-reasons.ts';

const NOON = Date.UTC(2026, 5, 1, 12);

function plantOf(text: string): PlantFile {
  const reading = readPlantFile(text, 'sample.yaml');
  if (!reading.ok) throw new Error(JSON.stringify(reading.faults));
  return reading.plantFile;
}

function contentsOf(file: PlantFile): PlantContents {
  return {
    catalogs: file.catalogs.map((entry) => PLANT_CODECS.catalogs.record(entry, undefined)),
    locations: file.locations.map((entry) => PLANT_CODECS.locations.record(entry, undefined)),
    machines: file.machines.map((entry) => PLANT_CODECS.machines.record(entry, undefined)),
    parts: file.parts.map((entry) => PLANT_CODECS.parts.record(entry, undefined)),
    downtimeReasons: file.downtimeReasons.map((entry) => PLANT_CODECS.downtimeReasons.record(entry, undefined)),
    reasonCodes: file.reasonCodes.map((entry) => PLANT_CODECS.reasonCodes.record(entry, undefined)),
    coils: file.coils.map((entry) => PLANT_CODECS.coils.record(entry, undefined)),
    tasks: file.tasks.map((entry) => PLANT_CODECS.tasks.record(entry, undefined)),
    mqttAccounts: [],
    apiKeys: [],
    users: [],
  };
}

describe('the sample plant', () => {
  it.each([1, 6, 150])('of %i machines is a plant file without a fault (MQTT-09)', (count) => {
    expect(checkPlant(contentsOf(plantOf(samplePlant(count, NOON))))).toEqual([]);
  });

  it('configures exactly the machines that are simulated', () => {
    const configured = plantOf(samplePlant(13, NOON)).machines;
    const simulated = simulatedMachines(13);
    expect(configured.map(({ machineId, topicRoot }) => ({ machineId, topicRoot }))).toEqual(
      simulated.map(({ machineId, topicRoot }) => ({ machineId, topicRoot })),
    );
  });

  it('names every produced part and every reason that the crew gives', () => {
    const { parts, downtimeReasons } = plantOf(samplePlant(1, NOON));
    const made = simulatedMachines(1).flatMap(({ firstPart, otherParts }) => [firstPart, ...otherParts]);
    expect(parts.map(({ partId }) => partId)).toEqual(made.map(({ partId }) => partId));
    const reasonIds = downtimeReasons.map(({ id }) => id);
    expect(reasonIds).toEqual(expect.arrayContaining([...Object.values(REASON_OF_STOP), REASON_OF_OTHERS]));
  });

  it('has the same text for the same time', () => {
    expect(samplePlant(20, NOON)).toBe(samplePlant(20, NOON));
  });
});
