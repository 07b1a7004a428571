import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/browser/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    pool: 'forks',
    // Files of a worker share what is loaded once: loading the service anew for each took a third of the time. A file that
    // changes something of the process's puts it back.
    isolate: false,
    maxWorkers: 3,
    // A net for what hangs, wide enough for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
