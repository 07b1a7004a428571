// @owf/mdoc on its own: loading it exchanges the messages of Zod and extensions of cbor-x in whatever thread it is loaded.
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify, X509Certificate } from 'node:crypto'
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

const { issuerSigned, deviceResponse, devicePrivate, root, doctype, elements, request, now } = workerData
const ieee = { dsaEncoding: 'ieee-p1363' }

const context = {
  crypto: {
    random: (length) => new Uint8Array(randomBytes(length)),
    digest: ({ digestAlgorithm, bytes }) =>
      new Uint8Array(createHash(digestAlgorithm.replace('-', '').toLowerCase()).update(bytes).digest()),
  },
  cose: {
    sign1: {
      sign: ({ toBeSigned, key }) =>
        new Uint8Array(sign('sha256', toBeSigned, { key: createPrivateKey({ key: key.jwk, format: 'jwk' }), ...ieee })),
      verify: ({ sign1, key }) =>
        verify(
          'sha256',
          sign1.toBeSigned,
          { key: createPublicKey({ key: key.jwk, format: 'jwk' }), ...ieee },
          sign1.signature,
        ),
    },
  },
  x509: {
    getIssuerNameField: ({ certificate, field }) => [
      // Its rule that a certificate has a country is for driving licences alone.
      new X509Certificate(certificate).issuer.match(`${field}=(.*)`)?.[1] ?? 'none',
    ],
    getPublicKey: ({ certificate }) =>
      CoseKey.fromJwk(new X509Certificate(certificate).publicKey.export({ format: 'jwk' })),
    verifyCertificateChain: ({ trustedCertificates, x5chain }) => {
      const [anchor, leaf] = [trustedCertificates[0], x5chain[0]].map((der) => new X509Certificate(der))
      if (!leaf.verify(anchor.publicKey)) throw new Error('not under the root')
    },
    getCertificateData: ({ certificate }) => {
      const { issuer, subject, serialNumber, fingerprint, validFrom, validTo } = new X509Certificate(certificate)
      const [notBefore, notAfter] = [new Date(validFrom), new Date(validTo)]
      return {
        issuerName: issuer,
        subjectName: subject,
        serialNumber,
        thumbprint: fingerprint,
        notBefore,
        notAfter,
        pem: '',
      }
    },
  },
}

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
