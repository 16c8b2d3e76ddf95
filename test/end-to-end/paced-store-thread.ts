import { keepPace } from './pace.ts';

/** The store thread of `gateway-process.ts`, with the same speed of time. */
keepPace();
void import('../../src/adapters/store/thread/run-store-thread.ts');
