import type { DestinationStream } from 'pino'

/** Members that are part of the sentence and are not repeated after it. */
const IN_MESSAGE = ['method', 'path', 'status', 'ms']

type Line = Readonly<Record<string, unknown>>

function messageOf(line: Line, messageKey: string): string {
  const { method, path, status, ms, [messageKey]: message } = line
  const request = method === undefined ? undefined : `${method} ${path} ${status}`
  const time = ms === undefined ? undefined : `${ms} ms`
  return [message, request, time].filter((part) => part !== undefined).join(' ')
}

/** What JSON text escapes, pair by pair, and the control characters that it does not: DEL and C1. */
const ESCAPES = /\\(u[0-9a-f]{4}|.)|(?!\n)\p{Cc}/giu
const CONTROL = /^(u00[01][0-9a-f]|[bfr])$/i

/** JSON text without control characters but line feed and tab: what a caller sent must not command the terminal. */
const harmless = (json: string): string =>
  json.replace(ESCAPES, (found, escaped?: string) =>
    escaped === undefined || CONTROL.test(escaped) ? '\\ufffd' : found,
  )

/** As much of a `tty.WriteStream` as is used. */
export interface Terminal extends DestinationStream {
  hasColors?(): boolean
}

/** Writes each JSON line of the log as one for people; errors with their stack below it. */
export async function terminalDestination(terminal: Terminal): Promise<DestinationStream> {
  const { prettyFactory } = await import('pino-pretty')
  const pretty = prettyFactory({
    colorize: terminal.hasColors?.() ?? false,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: IN_MESSAGE.join(','),
    singleLine: true,
    messageFormat: messageOf,
  })
  return { write: (line) => terminal.write(pretty(harmless(line))) }
}
