import type { TestProject } from 'vitest/node'
import { createInstallation } from './installation.js'

/** Builds the service once, for every test that starts it as a process. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { directory, remove } = await createInstallation()
  project.provide('installation', directory)
  return remove
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the installation that `startProcess` starts. */
    installation: string
  }
}
