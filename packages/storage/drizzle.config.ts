import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/sql/schema.ts',
  out: process.env.MIGRATIONS_OUT ?? './migrations',
})
