import { existsSync, readFileSync } from 'node:fs'

/** Reads package.json, which is above `server/` in the sources and above `dist/` in the build. */
function packageDescription(): { name: string; version: string } {
  for (const path of ['../../package.json', '../../../package.json']) {
    const url = new URL(path, import.meta.url)
    if (!existsSync(url)) continue
    const { name, version }: { name: string; version: string } = JSON.parse(readFileSync(url, 'utf8'))
    return { name, version }
  }
  throw new Error('package.json was not found.')
}

/** Name and version from package.json. */
export const SERVICE = packageDescription()
