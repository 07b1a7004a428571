import { IncomingMessage } from 'node:http'

/**
 * Number of pieces that a body of any size may have. A piece is an HTTP chunk, or a part of a chunk that arrives
 * separately.
 */
const FREE_PIECES = 256
/** For each this many octets of a body, one more piece is allowed. */
const BYTES_PER_PIECE = 256
/** Maximum number of octets in a body, even if no code reads the body. The routes have much lower limits. */
const MAX_BYTES = 16_777_216
/**
 * Octets of framing that a body of any size may have: chunk sizes, chunk extensions (RFC 9112 §7.1.1) and data that
 * Node read ahead.
 */
const FREE_FRAMING = 131_072
/**
 * Time for which a refused connection stays open for sending only, so that the answer arrives before the connection is
 * reset.
 */
const LINGER_MS = 1_000

/** The event that the request emits when its body is refused, for code that is waiting for the body. */
export const REFUSED = 'bodyRefused'

const refused = new WeakSet<IncomingMessage>()

/** True if the body came in too many pieces, or was too long. The rest of the body is not read. */
export const isRefused = (request: IncomingMessage): boolean => refused.has(request)

/** Ends the connection after the answer is written, and reads nothing more from it. */
function closeSlowly(this: IncomingMessage['socket']): void {
  this.end()
  setTimeout(() => this.destroy(), LINGER_MS)
}

/**
 * Makes a class of requests in which the cost of reading a body is limited by the body's size. Node calls JavaScript
 * for each piece of a body, so 1 MiB in chunks of one octet costs seconds. Reading stops beyond {@link MAX_BYTES}, and
 * beyond {@link FREE_PIECES} pieces plus one for each {@link BYTES_PER_PIECE} octets. Reading also stops if there are
 * more octets of framing than octets of body (beyond {@link FREE_FRAMING}), since Node reads up to 16 KiB of extensions
 * for each chunk. The connection then closes after the answer. The limits also apply to bodies that nobody reads: Node
 * drains them with `_dump`, without counting.
 *
 * @returns a new class each time, whose prototype may be changed
 */
export function createRequestClass(): typeof IncomingMessage {
  return class BoundedRequest extends IncomingMessage {
    #pieces = 0
    #bytes = 0
    readonly #readBefore = this.socket.bytesRead
    #isRefused = false
    #isDropped = false

    override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
      if (piece === null) return this.#isRefused || super.push(null)
      if (this.#isRefused) return true
      this.#pieces += 1
      this.#bytes += piece.length
      if (this.#isTooMuch()) return this.#refuse()
      return this.#isDropped || super.push(piece, encoding)
    }

    #isTooMuch(): boolean {
      const framing = this.socket.bytesRead - this.#readBefore - this.#bytes
      if (framing > FREE_FRAMING + this.#bytes || this.#bytes > MAX_BYTES) return true
      return this.#pieces > FREE_PIECES + this.#bytes / BYTES_PER_PIECE
    }

    override _read(size: number): void {
      // After a refusal nothing is read, because reading would resume the paused socket.
      if (!this.#isRefused) super._read(size)
    }

    /** Node calls this if the answer is complete and nobody has read the body; {@link dropBody} calls it too. */
    _dump(): void {
      if (this.#isRefused) {
        this.socket.destroySoon()
        return
      }
      this.#isDropped = true
      this.removeAllListeners('data')
      this.resume()
    }

    /** @returns false, so that Node stops reading from the socket */
    #refuse(): false {
      const { socket } = this
      this.#isRefused = true
      refused.add(this)
      socket.destroySoon = closeSlowly
      // A dropped body means that the answer is complete, or will be complete within this turn of the event loop.
      if (this.#isDropped) setTimeout(() => socket.destroy(), LINGER_MS)
      else this.emit(REFUSED)
      return false
    }
  }
}

/** Reads and drops the rest of a body, so that the connection can carry the next request. */
export function dropBody(request: IncomingMessage): void {
  if ('_dump' in request && typeof request._dump === 'function') request._dump()
}
