import { defineConfig } from 'drizzle-kit';

/** For `npm run migration` (development.md, Migrations). */
export default defineConfig({
  dialect: 'sqlite',
  schema: 'src/adapters/store/thread/database/schema/*.ts',
  out: 'src/adapters/store/thread/database/migrations',
});
