import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

const { exclude: _, ...test } = base.test ?? {}

/** Tests that drive a real Chromium, one at a time. */
export default defineConfig({ test: { ...test, include: ['test/browser/**/*.test.ts'], maxWorkers: 1 } })
