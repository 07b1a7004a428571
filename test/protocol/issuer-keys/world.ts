import type { X509Certificate } from 'node:crypto'
import type { DidDocument } from '../../../server/protocol/did/did-document.js'
import { resolveDid } from '../../../server/protocol/did/resolve-did.js'
import type { IssuerKeyIo } from '../../../server/protocol/issuer-keys/resolve-issuer-key.js'

/** Fakes the network: serves the given JSON documents by address, also did:web documents. */
export function world(
  documents: Record<string, unknown>,
  options: { trustAnchors?: X509Certificate[]; allowHttp?: boolean; document?: DidDocument } = {},
): IssuerKeyIo & { asked: string[] } {
  const { trustAnchors = [], allowHttp = false, document } = options
  const asked: string[] = []
  const fetchJson = async (url: string) => {
    asked.push(url)
    if (!(url in documents)) throw new Error(`404 ${url}`)
    return documents[url]
  }
  return {
    asked,
    fetchJson,
    resolveDid: async (did) => document ?? resolveDid(did, { fetchJson, allowHttp }),
    trustAnchors,
    now: new Date('2026-06-01T00:00:00Z'),
    allowHttp,
  }
}
