import { readFileSync } from 'node:fs'
import { parse } from 'dotenv'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { VARIABLES } from '../../server/config/variables.js'
import { COMPLETE } from './environment.js'

describe('.env.example', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
  const entries = text.split('\n').filter((entry) => /^(# )?[A-Z0-9_]+=/.test(entry))

  it('lists every variable once, and no unknown variable', () => {
    const names = entries.map((entry) => entry.replace(/^# /, '').split('=', 1)[0])
    expect(names.toSorted()).toEqual([...VARIABLES].toSorted())
  })

  it('explains each: its block begins with a sentence', () => {
    const blocks = text.split(/\n\s*\n/).filter((block) => /^(# )?[A-Z0-9_]+=/m.test(block))
    expect(blocks.filter((block) => !/^# [A-Za-z0-9].*\s.*\s/.test(block))).toEqual([])
  })

  it('sets nothing in its original form, so that npm start works with a plain copy', () => {
    expect(parse(text)).toEqual({})
  })

  it('is accepted without its comment signs, and states the true defaults', () => {
    const commented = entries.map((entry) => entry.replace(/^# /, '')).join('\n')
    const config = readConfig(COMPLETE)
    const { trustAnchors: _, ...shown } = readConfig({
      ...parse(commented),
      TRUST_ANCHORS: '',
      TRUST_LISTS: '',
      PUBLISHED_TRUST_LISTS: '',
      STATUS_TRUST_ANCHORS: '',
      VERIFIER_TRUST_ANCHORS: '',
      REGISTRAR_TRUST_ANCHORS: '',
      WALLET_TRUST_ANCHORS: '',
      WALLET_CLIENTS: '',
      WALLET_LINKS: '',
      KEY_PROVIDERS: '',
      ISSUER_X509: '',
      ISSUER_REGISTRATIONS: '',
      ISSUER_REGISTRAR_DATASET: '',
      VERIFIER_X509: '',
      VERIFIER_ATTESTATION: '',
      VERIFIER_REGISTRATIONS: '',
      VERIFIER_ATTESTATION_ISSUERS: '',
      WALLET_PROVIDER_X509: '',
    })
    expect(shown).toMatchObject({
      host: config.host,
      port: config.port,
      rateLimit: config.rateLimit,
      logLevel: config.logLevel,
      issuerProfile: config.issuerProfile,
      webConcurrency: config.webConcurrency,
      shutdownDelaySeconds: config.shutdownDelaySeconds,
      authDisabled: config.authDisabled,
      allowInsecureHttp: config.allowInsecureHttp,
      sdJwtIssuer: config.sdJwtIssuer,
      // Without the variable, this is the value in the default profile.
      trustedIssuers: ['self'],
      verifierProfile: config.verifierProfile,
      verifierResponseMode: config.verifierResponseMode,
      sessionResultTtlSeconds: config.sessionResultTtlSeconds,
      sessionRetentionDays: config.sessionRetentionDays,
      production: config.production,
    })
  })
})
