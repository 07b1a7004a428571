import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { COMPLETE, line, refusalWith } from './environment.js'

describe.each(['ISSUER_BASE_URL', 'VERIFIER_BASE_URL'])('%s', (name) => {
  const https = `${name} must be an https URL unless ALLOW_INSECURE_HTTP is true.`
  it.each([
    ['http://issuer.example', https],
    ['HTTP://issuer.example', https],
    ['issuer.example', `${name} must be an https URL.`],
    ['ftp://issuer.example', `${name} must be an https URL.`],
    ['https://', `${name} must be an https URL.`],
    ['https://issuer.example?x=1', `${name} must have no query, fragment or user name.`],
    ['https://issuer.example/#', `${name} must have no query, fragment or user name.`],
    ['https://user@issuer.example', `${name} must have no query, fragment or user name.`],
  ])('refuses %s', (value, problem) => {
    expect(refusalWith({ [name]: value })).toBe(line(problem))
  })

  it('accepts plain http with ALLOW_INSECURE_HTTP', () => {
    expect(refusalWith({ [name]: 'http://127.0.0.1:3000', ALLOW_INSECURE_HTTP: 'true' })).toBeUndefined()
  })

  it.each([
    ['https://issuer.example/', 'https://issuer.example'],
    ['https://ISSUER.example/tenant/', 'https://issuer.example/tenant'],
    ['https://issuer.example:8443', 'https://issuer.example:8443'],
  ])('reads %s as %s', (value, read) => {
    const { issuerBaseUrl, verifierBaseUrl } = readConfig({ ...COMPLETE, [name]: value })
    expect(name === 'ISSUER_BASE_URL' ? issuerBaseUrl : verifierBaseUrl).toBe(read)
  })
})
