import { runUpdateThread } from '../cli/commands/update/run-update-thread.ts';

// A fault ends the thread, which tells the thread that started it.
void runUpdateThread();
