import { setTimeout as pause } from 'node:timers/promises';

/** `scale` is 1 in CI and more in the long run. `isOver` becomes true when the time is up. */
export interface AttackScene {
  readonly mqttPort: number;
  readonly httpPort: number;
  readonly scale: number;
  readonly isOver: () => boolean;
}

/** Attacks until the scene is over. Sockets that are left open are closed by the thread's end. */
export type Attack = (scene: AttackScene) => Promise<void>;

/** Repeats it until the scene is over, also if the gateway takes nothing more for a long time. */
export async function untilOver(scene: AttackScene, act: () => Promise<unknown>): Promise<void> {
  const over = stayUntilOver(scene);
  while (!scene.isOver()) await Promise.race([act(), over]);
}

export async function stayUntilOver({ isOver }: AttackScene): Promise<void> {
  while (!isOver()) await pause(50);
}
