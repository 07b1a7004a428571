import type { DestinationStream } from 'pino'

/** Members that are part of the line's message. They are not repeated after the message. */
const IN_MESSAGE = ['method', 'path', 'status', 'ms']

type Line = Readonly<Record<string, unknown>>

function messageOf(line: Line, messageKey: string): string {
  const { method, path, status, ms, [messageKey]: message } = line
  const request = method === undefined ? undefined : `${method} ${path} ${status}`
  const time = ms === undefined ? undefined : `${ms} ms`
  return [message, request, time].filter((part) => part !== undefined).join(' ')
}

/** Matches the escapes in a JSON text, and the control characters that JSON does not escape: DEL and C1. */
const ESCAPES = /\\(u[0-9a-f]{4}|.)|(?!\n)\p{Cc}/giu
const CONTROL = /^(u00[01][0-9a-f]|[bfr])$/i

/**
 * Removes control characters except line feed and tab from a JSON text, because values from callers must not control
 * the terminal.
 */
const harmless = (json: string): string =>
  json.replace(ESCAPES, (found, escaped?: string) =>
    escaped === undefined || CONTROL.test(escaped) ? '\\ufffd' : found,
  )

/** The members of a `tty.WriteStream` that the log uses. */
export interface Terminal extends DestinationStream {
  hasColors?(): boolean
}

/** Writes each JSON line of the log as a readable line, with the stack of an error below it. */
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
