import { expect, it } from 'vitest'
import { dcApiTranscript, redirectTranscript } from '../../../server/protocol/mdoc/mdoc.js'

// OpenID4VP 1.0 Appendix B.2.6: the inputs and the results of both examples.
const nonce = 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA'
const encryptionKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'DxiH5Q4Yx3UrukE2lWCErq8N8bqC9CHLLrAwLz5BmE0',
  y: 'XtLM4-3h5o3HUH0MHVJV0kyq0iBlrBwlh8qEDMZ4-Pc',
  use: 'enc',
  alg: 'ECDH-ES',
  kid: '1',
}
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

it('is the transcript of Appendix B.2.6.1 for an answer by redirect', () => {
  const clientId = 'x509_san_dns:example.com'
  const request = { clientId, nonce, encryptionKey, responseUri: 'https://example.com/response' }
  expect(hex(redirectTranscript(request))).toBe(
    '83f6f682714f70656e494434565048616e646f7665725820048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac',
  )
})

it('is the transcript of Appendix B.2.6.2 for an answer over the Digital Credentials API', () => {
  expect(hex(dcApiTranscript({ origin: 'https://example.com', nonce, encryptionKey }))).toBe(
    '83f6f682764f70656e4944345650444341504948616e646f7665725820fbece366f4212f9762c74cfdbf83b8c69e371d5d68cea09cb4c48ca6daab761a',
  )
})

it('contains null instead of the thumbprint if the answer is not encrypted', () => {
  const plain = dcApiTranscript({ origin: 'https://example.com', nonce })
  expect(plain).toHaveLength(dcApiTranscript({ origin: 'https://example.com', nonce, encryptionKey }).length)
  expect(plain).not.toEqual(dcApiTranscript({ origin: 'https://example.com', nonce, encryptionKey }))
})
