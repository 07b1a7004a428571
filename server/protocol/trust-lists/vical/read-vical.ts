import { requireFresh } from '../freshness.js'
import { requireSize } from '../members.js'
import type { ListReader } from '../read-list.js'
import { answered, ListRefusedError } from '../refusal.js'
import { readContent } from './content.js'
import { openEnvelope } from './envelope.js'

/**
 * Reads a VICAL, the list of issuing authorities of mobile documents (ISO/IEC 18013-5 Annex C): a COSE_Sign1 over CBOR.
 * The signature and its signer are checked before the content is read. A VICAL has no profiles of TS 119 602.
 */
export const readVical: ListReader = (bytes, options) =>
  answered((progress) => {
    requireSize(bytes)
    if (options.profile !== undefined) {
      throw new ListRefusedError('profile', `A VICAL is not of the profile ${options.profile}.`)
    }
    const list = readContent(openEnvelope(bytes, options, progress))
    requireFresh(list, options)
    return list
  })
