// Runs @owf/mdoc in a separate thread, because its import changes the messages of Zod and the extensions of cbor-x in
// the importing thread.
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

const { redirect, dcApi, hold, verify } = workerData

const sessionTranscript =
  redirect === undefined
    ? await SessionTranscript.forOid4VpDcApi(dcApi, context)
    : await SessionTranscript.forOid4Vp(redirect, context)

async function presented({ issuerSigned, devicePrivate, doctype, paths, root, now }) {
  const document = IssuerSigned.fromEncodedForOid4Vci(issuerSigned)
  if (root !== undefined) {
    await Holder.verifyIssuerSigned({ issuerSigned: document, trustedCertificates: [root], now }, context)
  }
  const namespaces = new Map()
  for (const [namespace, element] of paths) {
    namespaces.set(namespace, (namespaces.get(namespace) ?? new Map()).set(element, false))
  }
  const itemsRequest = ItemsRequest.create({ docType: doctype, namespaces })
  const signingKey = CoseKey.fromJwk({ ...devicePrivate, alg: SignatureAlgorithm[SignatureAlgorithm.ES256] })
  const response = await Holder.createDeviceResponseForDeviceRequest(
    {
      deviceRequest: DeviceRequest.create({ docRequests: [DocRequest.create({ itemsRequest })] }),
      issuerSigned: [document],
      sessionTranscript,
      signature: { signingKey },
    },
    context,
  )
  return response.encodedForOid4Vp
}

async function verified({ deviceResponse, root, now }) {
  const encoded = Buffer.from(deviceResponse, 'base64url')
  await Verifier.verifyDeviceResponse(
    { deviceResponse: encoded, sessionTranscript, trustedCertificates: [root], now },
    context,
  )
}

try {
  if (verify !== undefined) await verified(verify)
  parentPort.postMessage({
    transcript: sessionTranscript.encode(),
    presented: hold === undefined ? undefined : await presented(hold),
  })
} catch (thrown) {
  parentPort.postMessage({ refused: String(thrown.message) })
}
