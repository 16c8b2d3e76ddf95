import { defineConfig } from 'drizzle-kit';

/** For `npm run migration:central` (development.md, Migrations). */
export default defineConfig({
  dialect: 'postgresql',
  schema: 'src/central/postgres/schema/*.ts',
  out: 'src/central/postgres/migrations',
});
