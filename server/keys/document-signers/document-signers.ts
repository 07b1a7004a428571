import { generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { errors, ServiceError } from '../../api/errors.js'
import type { Config } from '../../config/config.js'
import type { Log } from '../../log/log.js'
import { authorityIn } from '../../protocol/issuer-keys/authority.js'
import { isSelfSigned } from '../../protocol/issuer-keys/certificate-chain.js'
import { type Jwk, publicJwkOf } from '../../protocol/jose/jwk.js'
import type { Signer } from '../../protocol/jose/jws.js'
import { LruMap } from '../../protocol/jose/lru-map.js'
import { signatureOver } from '../../protocol/jose/signature.js'
import { chainEnd } from '../../protocol/openid4vp/client-identifier.js'
import type { Keys } from '../keys.js'
import { type SignerUse, signerCertificate } from './certificate.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A private key signs for this long. */
const KEY_MS = DAY_MS
/** A key that was used is replaced after this time, and a random part of an hour. So processes do not renew at the same moment. */
const RENEWED_MS = 12 * HOUR_MS
const JITTER_MS = HOUR_MS
/** The maximum validity of the certificate of a document signer (ISO/IEC 18013-5 Annex B). */
const CERTIFICATE_MS = 457 * DAY_MS
/** Certificates are valid from a moment ago, because the clocks of verifiers may be late. */
const EARLIER_MS = 5 * 60_000
/** How often each process looks for signers that must be renewed or dropped. */
const LOOK_MS = 30_000
/** Limit of signers in the memory of a process. Beyond this limit, the least recently used signer is dropped. */
const MAX_SIGNERS = 1_000
/** A signer that could not be made and is not needed any more counts as failing for this long. */
const FAILURE_MS = HOUR_MS
/** Renewals at the same time. Each is one signature of the record's key. */
const AT_ONCE = 4

const generate = promisify(generateKeyPair)

/** A key of an issuer record, as the statements of features read it. */
export interface RecordKey {
  readonly keyId: string
  /** The DID URL of the key. */
  readonly kid: string
  /** The certificate chain of the key, leaf first, each certificate as base64 DER; null without a certificate. */
  readonly x5c: readonly string[] | null
}

/** The signer of a document, and the chain that the document carries. */
export interface ChainSigner {
  readonly signer: Signer
  /** The chain of the signer, leaf first and without a root; null if the document carries no chain. */
  readonly x5c: readonly string[] | null
}

interface Made extends ChainSigner {
  readonly x5c: readonly string[]
  /** The key of the record that vouches for this signer. */
  readonly key: RecordKey
  readonly use: SignerUse
  readonly madeAt: number
  readonly renewAt: number
  readonly endsAt: number
  /** Whether the 24 hours have ended. The private key is dropped then. A clock that is set back does not bring the key back. */
  readonly hasEnded: () => boolean
  /** Whether a document needed it. The timer renews no signer that nobody needs. */
  isUsed: boolean
  /** Whether the last attempt to replace this signer failed. */
  isLate: boolean
}

/** The number of document signers in memory, and the age of the oldest in seconds. */
export interface SignersRead {
  readonly count: number
  readonly oldestSeconds: number
  /** The number of signers that could not be made or renewed. */
  readonly failing: number
}

/** Dependencies of {@link createDocumentSigners}. */
export interface DocumentSignersPorts {
  readonly keys: Pick<Keys, 'signer'>
  /** The present chains of keys, by their ids. */
  readonly chainsOf: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, readonly string[] | null>>
  readonly config: Pick<Config, 'issuerBaseUrl'>
  readonly clock: () => Date
  readonly log: Pick<Log, 'warn'>
  readonly random: (length: number) => Uint8Array
  /** Counts certificates of signers. */
  readonly onMade?: ((outcome: 'made' | 'failed') => void) | undefined
  /** Interval between two looks for signers that must be renewed, in milliseconds. Default: 30,000. */
  readonly everyMs?: number | undefined
}

export type DocumentSigners = ReturnType<typeof createDocumentSigners>

const isSameChain = (one: RecordKey['x5c'] | undefined, other: RecordKey['x5c']): boolean =>
  one?.length === other?.length && (one ?? []).every((certificate, at) => certificate === other?.[at])

const inSeconds = (milliseconds: number): Date => new Date(Math.floor(milliseconds / 1000) * 1000)

/**
 * The signers of documents that carry a certificate chain. A key with the certificate of a signer signs itself. For a key
 * with the certificate of an authority, each process has short-lived signers in memory, and the key signs their certificates
 * only.
 *
 * The certificate decides for each key, also for former keys: their status lists need the same chain as their credentials. A
 * caller reads key and chain from the database for each document. So a rotation, another certificate or another kind of
 * signing ends a signer at the next document, in every process.
 */
export function createDocumentSigners(ports: DocumentSignersPorts) {
  const { keys, chainsOf, config, clock, log, random, onMade = () => {}, everyMs = LOOK_MS } = ports
  const signers = new LruMap<string, Made>(MAX_SIGNERS)
  const making = new Map<string, Promise<Made>>()
  /** When a signer could not be made, by its name. */
  const failures = new LruMap<string, number>(MAX_SIGNERS)

  const nameOf = ({ keyId }: RecordKey, use: SignerUse): string => `${use} ${keyId}`
  const isFor = (made: Made, { x5c }: RecordKey): boolean => isSameChain(made.key.x5c, x5c)
  const isInForce = ({ madeAt, hasEnded }: Made, now: number): boolean => madeAt - EARLIER_MS <= now && !hasEnded()

  /** Signs with a private key of this process until the key ends, also if the caller keeps the signer for longer. */
  const signerWith = (
    privateKey: KeyObject,
    publicJwk: Jwk,
    kid: string,
    endsAt: number,
  ): Pick<Made, 'hasEnded' | 'signer'> => {
    let key: KeyObject | undefined = privateKey
    const keyNow = (): KeyObject | undefined => {
      if (clock().getTime() >= endsAt) key = undefined
      return key
    }
    const sign: Signer['sign'] = async (data) => {
      const usable = keyNow()
      if (usable === undefined) throw errors.signingUnavailable(new Error('The document signer has ended.'))
      return signatureOver('ES256', usable, data)
    }
    return { hasEnded: () => keyNow() === undefined, signer: { alg: 'ES256', kid, publicJwk, sign } }
  }

  async function make(key: RecordKey, use: SignerUse): Promise<Made> {
    const { keyId, kid, x5c } = key
    const authority = authorityIn(x5c)
    if (authority === undefined || x5c === null) throw new Error(`Key ${keyId} is no authority.`)
    const now = clock().getTime()
    const notBefore = inSeconds(Math.max(now - EARLIER_MS, Date.parse(authority.validFrom)))
    // The certificate outlives its key: verifiers check the chain for as long as the signed documents are valid.
    const notAfter = inSeconds(Math.min(notBefore.getTime() + CERTIFICATE_MS, chainEnd(x5c).getTime()))
    if (notAfter.getTime() <= now) throw new Error('The certificate of the issuer has expired.')
    const keyEndsAt = inSeconds(Math.min(now + KEY_MS, notAfter.getTime()))
    const { privateKey, publicKey } = await generate('ec', { namedCurve: 'P-256' })
    const signer = await keys.signer(keyId, kid)
    const certificate = await signerCertificate({
      authority,
      signer,
      publicKey,
      use,
      issuerBaseUrl: config.issuerBaseUrl,
      notBefore,
      notAfter,
      keyEndsAt,
      random,
    })
    const endsAt = keyEndsAt.getTime()
    const [drawn = 0] = random(1)
    return {
      ...signerWith(privateKey, publicJwkOf(publicKey.export({ format: 'jwk' })), kid, endsAt),
      // A root that issues signers itself is the trust anchor, so documents do not carry it (HAIP 1.0 §6.1.1).
      x5c: [certificate.raw.toString('base64'), ...x5c.slice(isSelfSigned(authority) ? 1 : 0)],
      key,
      use,
      madeAt: now,
      renewAt: now + RENEWED_MS + (drawn / 256) * JITTER_MS,
      endsAt,
      isUsed: false,
      isLate: false,
    }
  }

  /** Makes a signer and keeps it. Calls at the same time wait for one signer. */
  function renewed(key: RecordKey, use: SignerUse): Promise<Made> {
    const name = `${nameOf(key, use)} ${key.x5c?.join()}`
    const running = making.get(name)
    if (running !== undefined) return running
    const started = make(key, use)
      .then(
        (made) => {
          onMade('made')
          failures.delete(nameOf(key, use))
          signers.set(nameOf(key, use), made)
          return made
        },
        (error: unknown) => {
          onMade('failed')
          failures.set(nameOf(key, use), clock().getTime())
          throw error
        },
      )
      .finally(() => making.delete(name))
    making.set(name, started)
    return started
  }

  async function documentSigner(key: RecordKey, use: SignerUse): Promise<Made> {
    const name = nameOf(key, use)
    const known = signers.get(name)
    if (known !== undefined && isFor(known, key) && isInForce(known, clock().getTime())) {
      known.isUsed = true
      return known
    }
    // The private key of a former certificate or of a past day stays in memory no longer.
    if (known !== undefined) signers.delete(name)
    const made = await renewed(key, use).catch((error: unknown) => {
      throw error instanceof ServiceError ? error : errors.signingUnavailable(error)
    })
    made.isUsed = true
    return made
  }

  /** Drops signers that have ended, and signers whose record has another certificate now. */
  async function dropEnded(): Promise<void> {
    const now = clock().getTime()
    signers.deleteWhere((made) => !isInForce(made, now))
    failures.deleteWhere((at) => at < now - FAILURE_MS)
    if (signers.size === 0) return
    const chains = await chainsOf(signers.values().map(({ key }) => key.keyId))
    signers.deleteWhere(({ key }) => !isSameChain(chains.get(key.keyId), key.x5c))
  }

  async function renewDue(): Promise<void> {
    const now = clock().getTime()
    const due = signers.values().filter(({ renewAt, isUsed }) => isUsed && renewAt <= now)
    for (let at = 0; at < due.length; at += AT_ONCE) {
      await Promise.all(
        due.slice(at, at + AT_ONCE).map(async (made) => {
          try {
            await renewed(made.key, made.use)
          } catch (err) {
            if (!made.isLate) log.warn({ keyId: made.key.keyId, err }, 'a document signer cannot be renewed')
            made.isLate = true
          }
        }),
      )
    }
  }

  let looking: Promise<void> | undefined
  /** Renews used signers after half of their life, and drops signers that must sign no more. */
  const look = (): Promise<void> => {
    looking ??= (async () => {
      await dropEnded()
      await renewDue()
    })()
      .catch((err: unknown) => log.warn({ err }, 'document signers cannot be looked at'))
      .finally(() => {
        looking = undefined
      })
    return looking
  }
  const timer = setInterval(() => void look(), everyMs)
  timer.unref()

  const read = (): SignersRead => {
    const now = clock().getTime()
    const made = signers.values()
    const oldest = Math.min(now, ...made.map(({ madeAt }) => madeAt))
    return { count: made.length, oldestSeconds: (now - oldest) / 1000, failing: failures.size }
  }

  return {
    /**
     * The signer of a document, and the chain that the document carries. It is the key itself, unless the certificate of the key is the
     * certificate of an authority.
     *
     * @param use undefined for a document that carries no chain. The key itself signs it.
     * @throws 503 if a document signer is needed and the key of the record cannot vouch for one now
     */
    async signerOf(key: RecordKey, use: SignerUse | undefined): Promise<ChainSigner> {
      if (use !== undefined && authorityIn(key.x5c) !== undefined) return documentSigner(key, use)
      return { signer: await keys.signer(key.keyId, key.kid), x5c: use === undefined ? null : key.x5c }
    },

    /** Renews and drops signers now, as the timer does. */
    look,

    read,

    /** For readiness: a signer that could not be renewed still signs until its end. Without signers, the answer is `absent`. */
    async health(): Promise<{ readonly degraded: string } | 'absent' | 'up'> {
      if (failures.size === 0) return signers.size === 0 ? 'absent' : 'up'
      const ends = signers.values().flatMap(({ isLate, endsAt }) => (isLate ? [endsAt] : []))
      if (ends.length === 0) return { degraded: `${failures.size} of the document signers cannot be made` }
      const end = new Date(Math.min(...ends)).toISOString()
      return { degraded: `${failures.size} of the document signers cannot be renewed: the first signs until ${end}` }
    },

    close(): void {
      clearInterval(timer)
      signers.deleteWhere(() => true)
      failures.deleteWhere(() => true)
    },
  }
}
