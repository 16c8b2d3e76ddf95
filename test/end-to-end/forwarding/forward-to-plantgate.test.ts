import { itForwards } from './forward-to-plantgate.ts';

itForwards('SQLite');
