import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A file of the console, in uncompressed and in compressed form. */
export interface ConsoleFile {
  readonly type: string
  readonly bytes: Buffer
  readonly gzipped: Buffer
}

/** The built files of the console. */
export interface ConsoleFiles {
  /** The HTML page. It is the same for all addresses of the console. */
  readonly page: ConsoleFile
  /** All other files by their names. The name of a file changes when its content changes. */
  readonly assets: ReadonlyMap<string, ConsoleFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
}

const fileOf = (name: string, bytes: Buffer): ConsoleFile => ({
  type: TYPES[extname(name)] ?? 'application/octet-stream',
  bytes,
  gzipped: gzipSync(bytes),
})

/** Makes the page's relative file addresses absolute, since all addresses below the console return the page. */
const completed = (page: string, path: string): string => page.replaceAll('="./', `="${path}`)

/**
 * Reads the console's files, some hundred kilobytes, into memory.
 *
 * @param directory `dist/console`
 * @param path the path of the console, with a slash at the beginning and at the end
 * @returns undefined if the console was not built
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
