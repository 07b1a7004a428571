import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { OutboundError, tooLarge } from './outbound-error.js'

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array<ArrayBuffer>>

/**
 * Decoders for content codings (RFC 9110 §8.4.1, RFC 7932). A decoder stops as soon as its output exceeds the limit.
 */
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
])

const isTooLarge = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'

/**
 * Decodes the content coding of a body. The service requests no coding, but some servers compress the body
 * nevertheless. Several nested codings are refused, since no honest server needs them.
 *
 * @param maxBytes limit of the decoded body.
 * @throws {OutboundError} `too-large` or `content`.
 */
export async function decodeContent(
  bytes: Uint8Array<ArrayBuffer>,
  coding: string | undefined,
  host: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = (coding ?? '').trim().toLowerCase()
  if (bytes.length === 0 || name === '' || name === 'identity') return bytes
  const decode = DECODERS.get(name)
  if (decode === undefined) {
    throw new OutboundError('content', `${host} answered in a content coding that is not supported.`)
  }
  try {
    return await decode(bytes, { maxOutputLength: maxBytes })
  } catch (cause) {
    if (isTooLarge(cause)) throw tooLarge(host, maxBytes)
    throw new OutboundError('content', `${host} answered with a body that its content coding does not fit.`, { cause })
  }
}

/** Decodes UTF-8. @throws {OutboundError} `content` if the bytes are not UTF-8. */
export function decodeText(bytes: ArrayBuffer, host: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new OutboundError('content', `${host} answered with text that is not UTF-8.`, { cause })
  }
}

/**
 * Parses JSON. @throws {OutboundError} `content`. The error has no `cause`, because a syntax error would quote the
 * text.
 */
export function decodeJson(text: string, host: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new OutboundError('content', `${host} answered with something that is not JSON.`)
  }
}
