import { runStoreThread } from '../../src/adapters/store/thread/run-store-thread.ts';
import { keepPace } from './pace.ts';

/** The store thread of `gateway-process.ts`, with the same speed of time. */
keepPace();
runStoreThread();
