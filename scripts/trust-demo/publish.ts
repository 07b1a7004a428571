import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.jwt': 'application/jwt',
  '.vical': 'application/cbor',
}
const STATUS_LIST = 'application/statuslist+jwt'

/** The files that are published: a list or a status list, directly in its folder. */
const FILE = /^\/(lists|status)\/([a-z][a-z-]*(?:\.jwt|\.vical))$/

/** Makes a server for the published files of a folder. It reads a file again at each request. */
export const publishFolder = (folder: string): Server =>
  createServer((request, response) => {
    const [, kind, file] = FILE.exec(request.url ?? '') ?? []
    if (kind === undefined || file === undefined) {
      response.writeHead(404).end()
      return
    }
    readFile(join(folder, kind, file)).then(
      (content) => {
        const type = kind === 'status' ? STATUS_LIST : TYPES[extname(file)]
        response.writeHead(200, { 'content-type': type ?? 'application/octet-stream' }).end(content)
      },
      () => response.writeHead(404).end(),
    )
  })
