import { runWatchThread } from '../adapters/system/run-watch-thread.ts';

runWatchThread();
