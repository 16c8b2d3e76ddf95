import { runVerifyThread } from '../adapters/store/backup/run-verify-thread.ts';

runVerifyThread();
