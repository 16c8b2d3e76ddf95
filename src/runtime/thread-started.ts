import { channel } from 'node:diagnostics_channel';

const started = channel('plantgate:thread-started');

/** Tells that this thread has run all of its start. Only the single binary listens, which keeps the compiled code now. */
export function tellThreadStarted(): void {
  started.publish(undefined);
}

export function onThreadStarted(act: () => void): void {
  started.subscribe(act);
}
