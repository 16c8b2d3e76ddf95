import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Program } from '../end-to-end/program.ts';

/** A shorter silence than 10 s counts as one here, so that a test can wait for it. */
const SETTINGS = 'devices: { timeoutSeconds: 3 }\n';

/** The real gateway on ports that it keeps after a kill and a new start, as devices need it. */
export class SampleGateway {
  #program: Program;
  readonly httpPort: number;
  readonly mqttPort: number;

  private constructor(program: Program) {
    this.#program = program;
    this.httpPort = program.httpPort;
    this.mqttPort = program.mqttPort;
  }

  static async start(): Promise<SampleGateway> {
    const program = await Program.start({ settings: SETTINGS });
    const { httpPort, mqttPort } = program;
    writeFileSync(
      path.join(program.dir, 'plantgate.yaml'),
      `plant: ./plant.yaml\nhttp: { host: 127.0.0.1, port: ${httpPort} }\nmqtt: { host: 127.0.0.1, port: ${mqttPort} }\n${SETTINGS}`,
    );
    return new SampleGateway(program);
  }

  /** Kills the gateway like a pulled plug. */
  kill(): Promise<void> {
    return this.#program.kill();
  }

  async startAgain(): Promise<void> {
    this.#program = await Program.start({ dir: this.#program.dir });
  }

  /** The view of RF-01 for the page. */
  async machine() {
    const machines = (await this.#program.api('GET', '/machines')).body;
    return machines.find(({ machineId }: { readonly machineId: string }) => machineId === 'RF-01');
  }

  async selectPart(partId: string): Promise<void> {
    const { status } = await this.#program.api('PUT', '/machines/RF-01/part', { partId });
    if (status !== 200) throw new Error(`selecting ${partId} was answered with ${status}`);
  }

  async clearPart(): Promise<void> {
    const { status } = await this.#program.api('DELETE', '/machines/RF-01/part');
    if (status !== 200) throw new Error(`clearing the part was answered with ${status}`);
  }

  async cleanUp(): Promise<void> {
    await this.kill();
    this.#program.cleanUp();
  }
}
