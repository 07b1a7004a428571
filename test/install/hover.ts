import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { programOf } from '../../scripts/launch/run-program.js'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: { readonly contents?: { readonly value: string } } | null
}

/**
 * Returns, for each line of a file, the text that an editor shows over the last name of the line. TypeScript's language
 * server supplies these texts (Language Server Protocol 3.17).
 */
export async function hovers(directory: string, file: string): Promise<string[]> {
  const text = await readFile(join(directory, file), 'utf8')
  const uri = pathToFileURL(join(directory, file)).href
  const server = spawn(process.execPath, [programOf('typescript', 'tsc'), '--lsp', '--stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const answers = new Map<number, (message: Message) => void>()
  const send = (message: object) => {
    const json = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)
  }
  let ids = 0
  const request = (method: string, params: object) =>
    new Promise<Message>((resolve) => {
      ids += 1
      answers.set(ids, resolve)
      send({ id: ids, method, params })
    })
  let received = Buffer.alloc(0)
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (let message = next(); message !== undefined; message = next()) {
      // The server also sends requests to the editor, for example for settings. They get an empty answer.
      if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null })
      else if (message.id !== undefined) answers.get(message.id)?.(message)
    }
  })
  const next = (): Message | undefined => {
    const head = received.indexOf('\r\n\r\n')
    const length = Number(/Content-Length: (\d+)/i.exec(received.subarray(0, head).toString())?.[1])
    if (head < 0 || received.length < head + 4 + length) return undefined
    const json = received.subarray(head + 4, head + 4 + length).toString()
    received = received.subarray(head + 4 + length)
    return JSON.parse(json)
  }
  await request('initialize', { processId: process.pid, rootUri: pathToFileURL(directory).href, capabilities: {} })
  send({ method: 'initialized', params: {} })
  send({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
  })
  const shown: string[] = []
  for (const [line, code] of text.trimEnd().split('\n').entries()) {
    const position = { line, character: code.length - 1 }
    const { result } = await request('textDocument/hover', { textDocument: { uri }, position })
    shown.push(result?.contents?.value ?? '')
  }
  server.kill()
  await once(server, 'exit')
  return shown
}
