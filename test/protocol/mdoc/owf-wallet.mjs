// @owf/mdoc on its own: loading it exchanges the messages of Zod and extensions of cbor-x in whatever thread it is loaded.
import { parentPort, workerData } from 'node:worker_threads'
import {
  CoseKey,
  DeviceRequest,
  DocRequest,
  Holder,
  IssuerSigned,
  ItemsRequest,
  SessionTranscript,
  SignatureAlgorithm,
  Verifier,
} from '@owf/mdoc'
import { context } from './owf-context.mjs'

const { issuerSigned, deviceResponse, devicePrivate, root, doctype, elements, request, now } = workerData

const sessionTranscript = await SessionTranscript.forOid4Vp(request, context)
const trust = { trustedCertificates: [root], now }
const document = IssuerSigned.fromEncodedForOid4Vci(issuerSigned)
await Holder.verifyIssuerSigned({ issuerSigned: document, ...trust }, context)
await Verifier.verifyDeviceResponse(
  { deviceResponse: Buffer.from(deviceResponse, 'base64url'), sessionTranscript, ...trust },
  context,
)
const namespaces = new Map(Object.entries(elements).map(([name, ids]) => [name, new Map(ids.map((id) => [id, false]))]))
const itemsRequest = ItemsRequest.create({ docType: doctype, namespaces })
const presented = await Holder.createDeviceResponseForDeviceRequest(
  {
    deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
    issuerSigned: [document],
    sessionTranscript,
    signature: { signingKey: CoseKey.fromJwk({ ...devicePrivate, alg: SignatureAlgorithm[SignatureAlgorithm.ES256] }) },
  },
  context,
)
parentPort.postMessage({ transcript: sessionTranscript.encode(), presented: presented.encodedForOid4Vp })
