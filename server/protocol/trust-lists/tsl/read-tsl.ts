import { requireFresh } from '../freshness.js'
import { requireSize } from '../members.js'
import type { ListReader } from '../read-list.js'
import { answered, ListRefusedError } from '../refusal.js'
import { readContent } from './content.js'
import { openSigned } from './signature/open-signed.js'
import { parseXml } from './xml/parse.js'

/**
 * Reads a trusted list in XML (ETSI TS 119 612, versions 5 and 6 of the format) with a XAdES signature (§5.7.1). The
 * signature and its signer are checked first. The content is then read from the octets that were signed, and not from
 * the received document.
 */
export const readTsl: ListReader = (bytes, options) =>
  answered((progress) => {
    requireSize(bytes)
    if (options.profile !== undefined) {
      throw new ListRefusedError('profile', `A list in XML is not of the profile ${options.profile}.`)
    }
    const signed = openSigned(parseXml(bytes), options, progress)
    const list = readContent(parseXml(signed), options.serviceTypes)
    requireFresh(list, options)
    return list
  })
