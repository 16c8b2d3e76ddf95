import { runWatchThread } from './watch-thread.ts';

// In the single binary it has a file of its own, which is small.
runWatchThread();
