import { runStoreThread } from './store-thread.ts';

// In the single binary the store thread has a file of its own: all of the program would take it 30 MB more.
runStoreThread();
