import { IncomingMessage } from 'node:http'

/** Pieces that every body may have: an HTTP chunk, or a part of one that arrived by itself. */
const FREE_PIECES = 256
/** One more piece is allowed for as many octets. */
const BYTES_PER_PIECE = 256
/** The octets of a body that are taken at most, read or not: a body within its limit has far fewer. */
const MAX_BYTES = 16_777_216
/** Octets of framing that every body may have, with what was read ahead: sizes of chunks, and their extensions (RFC 9112 §7.1.1). */
const FREE_FRAMING = 131_072
/** How long a refused connection stays half open, so that the answer arrives before the reset. */
const LINGER_MS = 1_000

/** Emitted by a request once its body is refused while somebody may still read it. */
export const REFUSED = 'bodyRefused'

const refused = new WeakSet<IncomingMessage>()

/** True if the body came in too many pieces, or was too long to be drained. The rest is not read any more. */
export const isRefused = (request: IncomingMessage): boolean => refused.has(request)

/** Ends the connection once the answer is written, and reads nothing more from it. */
function closeSlowly(this: IncomingMessage['socket']): void {
  this.end()
  setTimeout(() => this.destroy(), LINGER_MS)
}

/**
 * A class of requests whose bodies cost no more than their size. Node calls into JavaScript for each piece of a body, so
 * 1 MiB in chunks of one octet costs seconds. Beyond {@link FREE_PIECES} and one for each {@link BYTES_PER_PIECE} octets, and
 * beyond {@link MAX_BYTES}, the connection is not read any more. The same holds where framing is more than the body itself, since Node
 * reads up to 16 KiB of extensions for each chunk. The connection closes after the answer. This holds for bodies that nobody
 * reads too: Node drains them with `_dump`, where it counts nothing.
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
      // Reading would start the socket again.
      if (!this.#isRefused) super._read(size)
    }

    /** Called by Node where the answer is complete and nobody has read the body, and by {@link dropBody}. */
    _dump(): void {
      if (this.#isRefused) {
        this.socket.destroySoon()
        return
      }
      this.#isDropped = true
      this.removeAllListeners('data')
      this.resume()
    }

    /** @returns false, by which Node stops to read from the socket */
    #refuse(): false {
      const { socket } = this
      this.#isRefused = true
      refused.add(this)
      socket.destroySoon = closeSlowly
      // The answer is complete, or will be within the same turn.
      if (this.#isDropped) setTimeout(() => socket.destroy(), LINGER_MS)
      else this.emit(REFUSED)
      return false
    }
  }
}

/** Drains what is left of a body without keeping it, so that the connection can take a next request. */
export function dropBody(request: IncomingMessage): void {
  if ('_dump' in request && typeof request._dump === 'function') request._dump()
}
