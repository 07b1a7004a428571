import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A file of the console, in both forms in which it is sent. */
export interface ConsoleFile {
  readonly type: string
  readonly bytes: Buffer
  readonly gzipped: Buffer
}

/** The console as it was built. */
export interface ConsoleFiles {
  /** The page, which is the same for all addresses of the console. */
  readonly page: ConsoleFile
  /** By their names, which change with what they hold. */
  readonly assets: ReadonlyMap<string, ConsoleFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const fileOf = (name: string, bytes: Buffer): ConsoleFile => ({
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  bytes,
  gzipped: gzipSync(bytes),
})

/** The page names its files relative to itself, but is sent for every address below it. */
const completed = (page: string, path: string): string => page.replaceAll('="./', `="${path}`)

/**
 * Reads the console, some hundred kilobytes, into memory.
 *
 * @param directory `dist/console`
 * @param path where the console is, with a slash at both ends
 * @returns undefined where it was not built
 */
export function readConsole(directory: string, path: string): ConsoleFiles | undefined {
  try {
    const page = completed(readFileSync(join(directory, 'index.html'), 'utf8'), path)
    const assets = join(directory, 'assets')
    return {
      page: fileOf('index.html', Buffer.from(page)),
      assets: new Map(readdirSync(assets).map((name) => [name, fileOf(name, readFileSync(join(assets, name)))])),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
