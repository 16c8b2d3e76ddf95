import { runStoreThread } from '../adapters/store/thread/run-store-thread.ts';

runStoreThread();
