import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifierAttestationIssuers } from '../../server/config/rules.js'

describe('VERIFIER_ATTESTATION_ISSUERS (OpenID4VP 1.0 §12)', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: '1' }
  const iss = 'https://attester.example'
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'credence-'))
  })
  afterAll(() => rm(directory, { recursive: true }))
  const fileOf = (content: unknown): string => {
    const path = join(directory, `${randomUUID()}.json`)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  it('is read with the issuer of each key', () => {
    const path = fileOf({ keys: [{ ...jwk, iss }] })
    expect(verifierAttestationIssuers.parse(path)).toEqual([{ iss, jwk }])
  })

  it.each([
    ['no JSON', 'x'],
    ['no keys', { keys: [] }],
    ['a key without iss, which would count for every attester', { keys: [{ ...jwk, iss }, jwk] }],
    ['a private key', { keys: [{ ...privateKey.export({ format: 'jwk' }), iss }] }],
    ['a secret', { keys: [{ kty: 'oct', k: 'AAAA', iss }] }],
  ])('a file with %s stops the start', (_what, content) => {
    expect(verifierAttestationIssuers.safeParse(fileOf(content)).error?.issues[0]?.message).toBe(
      'must name a JWKS file of public keys, each with the issuer that it belongs to as iss.',
    )
  })

  it('without a file no issuer is trusted', () => {
    expect(verifierAttestationIssuers.parse(undefined)).toEqual([])
  })
})
