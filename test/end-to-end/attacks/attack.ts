import { pause } from './attacker.ts';

/** `scale` is 1 in CI and more in the long run. `isOver` becomes true when the time is up. */
export interface AttackScene {
  readonly mqttPort: number;
  readonly httpPort: number;
  readonly scale: number;
  readonly isOver: () => boolean;
}

/** Attacks until the scene is over. Sockets that are left open are closed by the thread's end. */
export type Attack = (scene: AttackScene) => Promise<void>;

export async function untilOver({ isOver }: AttackScene, act: () => Promise<unknown>): Promise<void> {
  while (!isOver()) await act();
}

export async function stayUntilOver(scene: AttackScene): Promise<void> {
  await untilOver(scene, () => pause(50));
}
