// @owf/mdoc as the holder of a mobile document, on its own: loading it exchanges the messages of Zod in whatever thread it is loaded.
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
} from '@owf/mdoc'
import { context } from '../protocol/mdoc/owf-context.mjs'

const { issuerSigned, devicePrivate, doctype, paths, redirect, dcApi } = workerData

const sessionTranscript =
  redirect === undefined
    ? await SessionTranscript.forOid4VpDcApi(dcApi, context)
    : await SessionTranscript.forOid4Vp(redirect, context)
const namespaces = new Map()
for (const [namespace, element] of paths) {
  namespaces.set(namespace, (namespaces.get(namespace) ?? new Map()).set(element, false))
}
const itemsRequest = ItemsRequest.create({ docType: doctype, namespaces })
const presented = await Holder.createDeviceResponseForDeviceRequest(
  {
    deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
    issuerSigned: [IssuerSigned.fromEncodedForOid4Vci(issuerSigned)],
    sessionTranscript,
    signature: { signingKey: CoseKey.fromJwk({ ...devicePrivate, alg: SignatureAlgorithm[SignatureAlgorithm.ES256] }) },
  },
  context,
)
parentPort.postMessage(presented.encodedForOid4Vp)
