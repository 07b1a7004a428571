import { defineConfig } from 'prisma/config'

// Prisma's command line downloads its schema engine before every command, also before those that never run it. Naming
// any program in its place lets them work without a network. Migrations do not need it: see scripts/migrations/.
const commandsWithoutEngine = ['format', 'generate', 'studio', 'validate', 'version']
if (commandsWithoutEngine.includes(process.argv[2] ?? '')) {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath
}
process.env.CHECKPOINT_DISABLE ??= '1'

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
