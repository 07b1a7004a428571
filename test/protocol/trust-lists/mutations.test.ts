import { describe, expect, it } from 'vitest'
import { decodeCbor } from '../../../server/protocol/mdoc/cbor/decode.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { createSign1, readSign1, x5chainHeader } from '../../../server/protocol/mdoc/cose/sign1.js'
import { readLote } from '../../../server/protocol/trust-lists/lote/read-lote.js'
import type { ListReader } from '../../../server/protocol/trust-lists/read-list.js'
import { readTsl } from '../../../server/protocol/trust-lists/tsl/read-tsl.js'
import { readVical } from '../../../server/protocol/trust-lists/vical/read-vical.js'
import { writeVical } from '../../../server/protocol/trust-lists/vical/write-vical.js'
import { tslXml } from './tsl-world.js'
import {
  authority,
  entity,
  ISSUANCE,
  lote,
  loteEntity,
  loteService,
  operator,
  options,
  service,
  signedList,
  signerWith,
} from './world.js'
import { signXml } from './xadesjs.js'

const issuer = authority('C=EU/Issuing authority')
const VALUES = [null, 1, -1, 1e300, 'x', '', true, [], [null], {}, { a: 1 }]

/** All copies of a value in which one member, at any depth, is another value. */
function* changed(value: unknown): Generator<unknown> {
  yield* VALUES
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    for (const other of changed(member)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other }
    }
    if (Array.isArray(value)) continue
    const { [key]: _, ...rest } = value as Record<string, unknown>
    yield rest
  }
}

/** Flips bits in every third octet. */
function* flipped(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 3) {
    const copy = Uint8Array.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8))
    yield copy
  }
}

async function counted(reader: ListReader, all: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const counts = { accepted: 0, refused: 0 }
  for await (const bytes of all) counts[(await reader(bytes, options())).accepted ? 'accepted' : 'refused'] += 1
  return counts
}

describe('a reader never throws for what a list holds', () => {
  it('a LoTE whose signer writes another value anywhere', async () => {
    const list = lote([loteEntity('Ministry', [loteService(ISSUANCE, [issuer], { ServiceStatus: 'a/granted' })])], {
      SchemeExtensions: [{ critical: false }],
    })
    async function* signed() {
      for (const payload of changed(list.LoTE)) yield await signedList({ LoTE: payload })
    }
    const counts = await counted(readLote, signed())
    expect(counts.refused).toBeGreaterThan(200)
    // Names in any text, members that are not read, and optional members that are missing.
    expect(counts.accepted).toBeGreaterThan(10)
  })

  const vical = async () =>
    writeVical(
      {
        provider: 'P',
        issuedAt: new Date('2026-05-01T00:00:00Z'),
        nextUpdate: new Date('2026-07-01T00:00:00Z'),
        sequenceNumber: 1,
        entities: [entity('A', [service([issuer], { types: ['org.iso.18013.5.1.mDL'] })])],
      },
      await signerWith(operator),
      [operator.certificate.raw],
    )

  it('a VICAL with flipped bits, which no signature covers', async () => {
    const counts = await counted(readVical, flipped(await vical()))
    expect(counts).toEqual({ accepted: 0, refused: expect.any(Number) })
  })

  it('a VICAL whose signer writes flipped bits', async () => {
    const signer = await signerWith(operator)
    async function* signed() {
      const { payload: content } = readSign1(decodeCbor(await vical(), { what: 'Test' }), { what: 'Test' })
      for (const payload of flipped(content ?? new Uint8Array())) {
        const unprotected = x5chainHeader([operator.certificate.raw])
        yield encodeCbor(await createSign1(signer, payload, { unprotected }))
      }
    }
    const counts = await counted(readVical, signed())
    // Most octets are those of the certificate, which is not parsed here.
    expect(counts.refused).toBeGreaterThan(30)
    expect(counts.accepted).toBeGreaterThan(30)
  })

  it('a list in XML with flipped bits: accepted only if its signed form is the same', async () => {
    const counts = await counted(readTsl, flipped(await signXml(tslXml(), { uri: '' })))
    expect(counts.refused).toBeGreaterThan(500)
    expect(counts.accepted).toBeLessThan(20)
  })
})
