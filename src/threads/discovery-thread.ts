import { runDiscoveryThread } from '../adapters/discovery/run-discovery-thread.ts';

runDiscoveryThread();
