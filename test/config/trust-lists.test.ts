import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigurationError, readConfig } from '../../server/config/config.js'
import { makeRoot } from '../verifier/certified.js'

const COMPLETE = {
  ISSUER_BASE_URL: 'https://issuer.example',
  VERIFIER_BASE_URL: 'https://verifier.example',
  DATABASE_URL: 'postgres://user:password@database.example/credence',
  OIDC_JWKS_URL: 'https://login.example/jwks',
}

const LIST = {
  url: 'https://lists.example/pid.jwt',
  kind: 'lote',
  profile: 'pid',
  purpose: 'credentials',
  types: ['urn:eudi:pid:1'],
  signer: { sha256: 'a'.repeat(64) },
  maxAgeHours: 48,
  territory: 'EU',
}

function fileOf(content: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'credence-lists-')), 'lists.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const configured = (content: unknown, more: NodeJS.ProcessEnv = {}) =>
  readConfig({ ...COMPLETE, TRUST_LISTS: fileOf(content), ...more })

/** Returns the problems of the configuration; undefined if it is accepted. */
function refusalOf(content: unknown, more: NodeJS.ProcessEnv = {}): string | undefined {
  try {
    configured(content, more)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message.replace('Invalid environment variables:\n', '')
  }
}

const FILE = '- TRUST_LISTS must name a JSON file of trusted lists:'

describe('TRUST_LISTS', () => {
  it('is a file with all members of each list', () => {
    const pem = makeRoot().certificate.toString()
    const other = { url: 'https://lists.example/wallets.jwt', kind: 'lote', purpose: 'wallets', signer: { pem } }
    expect(configured([LIST, other]).trustLists).toEqual([LIST, other])
    expect(readConfig(COMPLETE).trustLists).toEqual([])
  })

  it.each([
    ['{', 'it is no JSON.'],
    [LIST, 'it must be an array.'],
    [[{ ...LIST, url: 'lists.example/pid.jwt' }], '0.url must be an https URL without user name and fragment.'],
    [
      [{ ...LIST, url: 'https://me:secret@lists.example' }],
      '0.url must be an https URL without user name and fragment.',
    ],
    [[{ ...LIST, kind: 'xml' }], '0.kind must be lote or vical.'],
    [[{ ...LIST, profile: 'pub' }], '0.profile must be pid, wallet, wrpac, wrprc, pub-eaa, mdl.'],
    [[{ ...LIST, purpose: 'all' }], '0.purpose must be credentials, status, verifiers, registrars, wallets.'],
    [[{ ...LIST, types: 'urn:eudi:pid:1' }], '0.types must be an array of texts.'],
    [[{ ...LIST, types: [] }], '0.types must not be empty.'],
    [[{ ...LIST, purpose: 'wallets' }], '0.types must not be set where purpose is wallets.'],
    [[{ ...LIST, signer: { sha256: 'a'.repeat(63) } }], '0.signer.sha256 must be 64 hexadecimal digits.'],
    [[{ ...LIST, signer: { pem: 'certificate' } }], '0.signer.pem must be 1 to 10 certificates in PEM form.'],
    [[{ ...LIST, signer: undefined }], '0.signer must be an object with pem or sha256.'],
    [[{ ...LIST, maxAgeHours: 0 }], '0.maxAgeHours must be an integer from 1 to 8760.'],
    [[{ ...LIST, territory: 'Germany' }], '0.territory must be a country code of two capital letters.'],
    [[LIST, { ...LIST, types: undefined }], '1.url must not stand there twice with the purpose credentials.'],
    [[{ ...LIST, kind: 'vical' }], '0.profile must not be set where kind is vical.'],
    [[{ ...LIST, pem: 'x' }], '0 Unrecognized key: "pem".'],
  ])('%j is refused: %s', (content, reason) => {
    expect(refusalOf(content)).toBe(`${FILE} ${reason}`)
  })

  it('has plain http only with ALLOW_INSECURE_HTTP', () => {
    const plain = [{ ...LIST, url: 'http://lists.example/pid.jwt' }]
    expect(refusalOf(plain)).toBe(
      '- TRUST_LISTS must list https URLs unless ALLOW_INSECURE_HTTP is true: 0.url is none.',
    )
    expect(refusalOf(plain, { ALLOW_INSECURE_HTTP: 'true' })).toBeUndefined()
  })

  it('satisfies x5c in TRUSTED_ISSUERS if a list is for credentials', () => {
    expect(refusalOf([LIST], { TRUSTED_ISSUERS: 'self,x5c' })).toBeUndefined()
    const { types: _types, ...untyped } = LIST
    expect(refusalOf([{ ...untyped, purpose: 'wallets' }], { TRUSTED_ISSUERS: 'self,x5c' })).toBe(
      '- TRUST_LISTS must have a list with the purpose credentials, or TRUST_ANCHORS must be defined.',
    )
  })
})
