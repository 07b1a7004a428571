import { requireFresh } from '../freshness.js'
import { requireSize } from '../members.js'
import type { ListReader } from '../read-list.js'
import { answered } from '../refusal.js'
import { readContent } from './content.js'
import { openEnvelope } from './envelope.js'

/**
 * Reads a list of trusted entities (ETSI TS 119 602, JSON binding): a compact JWS in JAdES baseline B (§6.8), whose
 * payload is `{ "LoTE": … }`. The signature and its signer are checked before the content is read.
 */
export const readLote: ListReader = (bytes, options) =>
  answered((progress) => {
    requireSize(bytes)
    const { payload } = openEnvelope(bytes, options, progress)
    const list = readContent(payload, options)
    requireFresh(list, options)
    return list
  })
