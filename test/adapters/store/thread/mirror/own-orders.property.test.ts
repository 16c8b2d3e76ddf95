import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../../../rounds.ts';
import { OrdersUnderTest } from './orders-under-test.ts';

const IDS = ['A', 'B', 'C'] as const;
type Id = (typeof IDS)[number];

type Step =
  | { readonly do: 'put' | 'remove'; readonly id: Id }
  | { readonly do: 'acknowledge' | 'begin' | 'get' | 'apply' | 'restart' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom('put', 'remove'), id: fc.constantFrom(...IDS) }),
    fc.record({ do: fc.constantFrom('acknowledge', 'begin', 'get', 'apply', 'restart') }),
  ),
  { minLength: 5, maxLength: 40 },
);

/** A gateway, a server that carries out its requests, and readings of any duration. */
class Life {
  readonly orders = new OrdersUnderTest();
  /** The order codes as changed here, by document. */
  readonly here = new Map<string, string>([['A', 'A-0']]);
  readonly #there = new Map(this.here);
  #reading: 'none' | 'begun' | { readonly yaml: string } = 'none';
  #version = 0;

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case 'put': {
        this.#version += 1;
        const orderCode = `${step.id}-${this.#version}`;
        this.here.set(step.id, orderCode);
        this.orders.put(`documentID ${step.id}`, { documentID: step.id, orderCode });
        return;
      }
      case 'remove':
        if (this.here.delete(step.id)) this.orders.remove(`documentID ${step.id}`);
        return;
      case 'acknowledge':
        this.acknowledge();
        return;
      case 'begin':
        await this.orders.begin();
        this.#reading = 'begun';
        return;
      case 'get':
        if (this.#reading === 'begun') this.#reading = { yaml: this.yaml() };
        return;
      case 'apply':
        if (typeof this.#reading === 'string') return;
        await this.orders.apply(this.#reading.yaml);
        this.#reading = 'none';
        return;
      case 'restart':
        this.orders.restart();
        this.#reading = 'none';
    }
  }

  /** Gives false if no act waits. */
  acknowledge(): boolean {
    const act = this.orders.acknowledge()?.act;
    if (act?.type === 'orderPut') {
      const { documentID, orderCode } = JSON.parse(act.json);
      this.#there.set(documentID, orderCode);
    }
    if (act?.type === 'orderRemoved') this.#there.delete(act.orderKey.slice('documentID '.length));
    return act !== undefined;
  }

  yaml(): string {
    const rows = [...this.#there].map(([id, code]) => `- orderCode: "${code}"\n  documentIDs: [ "${id}" ]\n`);
    return rows.length === 0 ? '[]\n' : rows.join('');
  }
}

it('D-20 UP-01 UP-07 an order shows its changes made here, at any time of acknowledgement, reading or restart', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const life = new Life();
      await life.orders.read(life.yaml());
      const shown = async () => (await life.orders.codes()).toSorted();
      for (const step of taken) {
        await life.step(step);
        expect(await shown()).toEqual([...life.here.values()].toSorted());
      }
      while (life.acknowledge());
      await life.orders.read(life.yaml());
      expect(await shown()).toEqual([...life.here.values()].toSorted());
      expect(life.orders.own).toBe(0);
    }),
    { numRuns: rounds(60) },
  );
});
