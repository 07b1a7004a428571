// @owf/mdoc in isolation: its import changes the extensions of cbor-x in the importing thread.
import { parentPort, workerData } from 'node:worker_threads'
import { inflateSync } from 'node:zlib'
import { cborDecode, Holder, IssuerSigned } from '@owf/mdoc'
import { context } from '../protocol/mdoc/owf-context.mjs'

const { issuerSigned, root, list } = workerData

const bytesOf = (value) => (value instanceof Uint8Array ? value : value.value)

/** The payload of a COSE_Sign1. With its tag, the library decodes it as an object. */
const payloadOf = (sign1) => (Array.isArray(sign1) ? sign1[2] : sign1.payload)

const document = IssuerSigned.fromEncodedForOid4Vci(issuerSigned)
await Holder.verifyIssuerSigned({ issuerSigned: document, trustedCertificates: [root] }, context)
const wrapped = cborDecode(payloadOf(cborDecode(Buffer.from(issuerSigned, 'base64url')).get('issuerAuth')))
const mso = wrapped instanceof Map ? wrapped : (wrapped.data ?? cborDecode(bytesOf(wrapped)))
const reference = mso.get('status').get('status_list')
const [uri, idx] = [reference.get('uri'), reference.get('idx')]

const { list: published, value } = (() => {
  if (list === undefined) return {}
  const claims = cborDecode(payloadOf(cborDecode(list)))
  const entries = claims.get(65533)
  const bits = entries.get('bits')
  const bytes = inflateSync(entries.get('lst'))
  return {
    list: claims.get(2),
    value: (bytes[Math.floor((idx * bits) / 8)] >> ((idx * bits) % 8)) & (2 ** bits - 1),
  }
})()
parentPort?.postMessage({ uri, list: published, value })
