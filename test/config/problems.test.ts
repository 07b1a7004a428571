import { describe, expect, it } from 'vitest'
import { KEY, line, refusalWith } from './environment.js'

describe('variables that contradict each other are named in one line', () => {
  it('ISSUER_LEGACY_PROFILES with ISSUER_PROFILE haip, which has no drafts', () => {
    expect(refusalWith({ ISSUER_PROFILE: 'haip', ISSUER_LEGACY_PROFILES: 'draft13' })).toContain(
      '- ISSUER_LEGACY_PROFILES must not be set where ISSUER_PROFILE is haip.',
    )
  })

  it('VERIFIER_LEGACY_PROFILES with VERIFIER_PROFILE haip, which has no drafts', () => {
    expect(refusalWith({ VERIFIER_PROFILE: 'haip', VERIFIER_LEGACY_PROFILES: 'draft24' })).toContain(
      '- VERIFIER_LEGACY_PROFILES must not be set where VERIFIER_PROFILE is haip.',
    )
  })

  it('VERIFIER_PROFILE haip without a certificate and roots of issuers', () => {
    expect(refusalWith({ VERIFIER_PROFILE: 'haip' })).toBe(
      [
        line('VERIFIER_X509 must be defined where VERIFIER_PROFILE is haip.'),
        '- TRUST_ANCHORS or TRUST_LISTS must be defined where VERIFIER_PROFILE is haip.',
      ].join('\n'),
    )
  })

  it.each<[Record<string, string>, string]>([
    [
      { KEY_ENCRYPTION_KEY: KEY, KEY_ENCRYPTION_PROVIDER: 'hsm:wrapping' },
      'KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_PROVIDER must not both be set. The former key is KEY_ENCRYPTION_KEY_PREVIOUS.',
    ],
    [
      { KEY_ENCRYPTION_PROVIDER_PREVIOUS: 'hsm:wrapping' },
      'KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined where KEY_ENCRYPTION_PROVIDER_PREVIOUS is.',
    ],
    [
      { KEY_ENCRYPTION_PROVIDER: 'hsm:wrapping', KEY_ENCRYPTION_PROVIDER_PREVIOUS: 'hsm:wrapping' },
      'KEY_ENCRYPTION_PROVIDER_PREVIOUS must name another key than KEY_ENCRYPTION_PROVIDER.',
    ],
    [
      { KEY_ENCRYPTION_PROVIDER: 'hsm:wrapping' },
      'KEY_ENCRYPTION_PROVIDER must begin with the name of a provider of KEY_PROVIDERS.',
    ],
    ...['hsm', 'hsm:', ':wrapping', 'HSM:wrapping', 'hsm: wrapping', `hsm:${'k'.repeat(501)}`].map(
      (value): [Record<string, string>, string] => [
        { KEY_ENCRYPTION_PROVIDER: value },
        'KEY_ENCRYPTION_PROVIDER must be PROVIDER:KEY, with the name of a provider of KEY_PROVIDERS and the name of a key there.',
      ],
    ),
  ])('a wrapping key with %j', (env, problem) => {
    expect(refusalWith(env)).toContain(problem)
  })

  it('KEY_ENCRYPTION_KEY_PREVIOUS without KEY_ENCRYPTION_KEY', () => {
    expect(refusalWith({ KEY_ENCRYPTION_KEY_PREVIOUS: KEY })).toBe(
      line('KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined where KEY_ENCRYPTION_KEY_PREVIOUS is.'),
    )
  })

  it('STATUS_LIST_EXPIRY_SECONDS less than STATUS_LIST_TTL_SECONDS, also if one of them has its default', () => {
    for (const env of [
      { STATUS_LIST_TTL_SECONDS: '3601', STATUS_LIST_EXPIRY_SECONDS: '3600' },
      { STATUS_LIST_TTL_SECONDS: '86401' },
    ]) {
      expect(refusalWith(env)).toBe(line('STATUS_LIST_EXPIRY_SECONDS must not be less than STATUS_LIST_TTL_SECONDS.'))
    }
    expect(refusalWith({ STATUS_LIST_TTL_SECONDS: '0' })).toBe(
      line('STATUS_LIST_TTL_SECONDS must be an integer from 1 to 31536000.'),
    )
  })

  it('TRUSTED_ISSUERS with x5c but without TRUST_ANCHORS', () => {
    for (const listed of ['x5c', 'self,x5c', 'x5c did:web:issuer.example']) {
      expect(refusalWith({ TRUSTED_ISSUERS: listed })).toBe(
        line('TRUST_ANCHORS or TRUST_LISTS must be defined where TRUSTED_ISSUERS lists x5c.'),
      )
    }
  })
})
