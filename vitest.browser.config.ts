import { defineConfig } from 'vitest/config'
import { common } from './vitest.config.js'

/** Tests that drive a real Chromium, one at a time. */
export default defineConfig({
  test: {
    ...common,
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/support/database-setup.ts', 'test/support/console-setup.ts'],
    maxWorkers: 1,
    // Some tests walk every screen in every size.
    testTimeout: 300_000,
  },
})
