import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // A net for what hangs, wide enough for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
