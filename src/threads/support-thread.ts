import { runSupportThread } from '../cli/commands/support/run-support-thread.ts';

// A fault ends the thread, which tells the thread that started it.
void runSupportThread();
