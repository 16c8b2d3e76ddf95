import { runWatchThread } from '../adapters/system/watch/run-watch-thread.ts';

runWatchThread();
