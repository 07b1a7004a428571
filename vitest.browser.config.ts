import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.js'

const { exclude: _, include: __, ...test } = base.test ?? {}

/** Tests that drive a real Chromium: one at a time, and slower than the rest. */
export default mergeConfig(
  { test },
  defineConfig({
    test: {
      include: ['test/browser/**/*.test.ts'],
      maxWorkers: 1,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  }),
)
