import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TWO_READINGS } from '../support/two-readings.js'
import { KEY, line, refusalWith } from './environment.js'

const FLAG = 'must be true or false.'
const PROXIES =
  'must be true, false, a number of hops, or a list of addresses, networks, loopback, linklocal, uniquelocal.'
const ORIGINS = 'must list origins such as https://app.example.org, without a path.'
const HOSTS = 'must list hosts, each with or without a port.'

describe('an invalid value is named in one line', () => {
  it.each([
    ['DATABASE_URL', 'mysql://database.example/credence', 'must be a postgres:// URL.'],
    ['DATABASE_URL', 'credence', 'must be a postgres:// URL.'],
    ['OIDC_JWKS_URL', 'login.example/jwks', 'must be an http or https URL.'],
    ['OIDC_JWKS_URL', 'file:///jwks.json', 'must be an http or https URL.'],
    ['OIDC_ALGORITHMS', 'HS256', 'must list RS256, PS256, ES256, EdDSA.'],
    ['OIDC_ALGORITHMS', 'RS256,none', 'must list RS256, PS256, ES256, EdDSA.'],
    ['OIDC_ALGORITHMS', ',', 'must list RS256, PS256, ES256, EdDSA.'],
    ['OIDC_SCOPE', 'profile', 'must contain openid.'],
    ['AUTH_DISABLED', 'yes', FLAG],
    ['AUTH_DISABLED', 'TRUE', FLAG],
    ['ALLOW_INSECURE_HTTP', '1', FLAG],
    ['KEY_ENCRYPTION_KEY', 'secret', 'must be 32 bytes in base64url.'],
    ['KEY_ENCRYPTION_KEY', `${KEY}AAA`, 'must be 32 bytes in base64url.'],
    ['RATE_LIMIT_MAX', '-1', 'must be an integer from 0 to 1000000.'],
    ['RATE_LIMIT_MAX', '1.5', 'must be an integer from 0 to 1000000.'],
    ['RATE_LIMIT_WINDOW_SECONDS', '0', 'must be an integer from 1 to 86400.'],
    ['REDIS_URL', 'http://127.0.0.1:6379', 'must be a redis:// URL.'],
    ['EVENTS', 'kafka', 'must be postgres, redis or nats.'],
    ['NATS_URL', 'http://127.0.0.1:4222', 'must be a nats:// URL.'],
    ['DIRECT_DATABASE_URL', 'mysql://127.0.0.1/x', 'must be a postgres:// URL.'],
    ['DATABASE_REPLICA_URL', 'mysql://127.0.0.1/x', 'must be a postgres:// URL.'],
    ['TRUST_PROXY', 'yes', PROXIES],
    ['TRUST_PROXY', '10.0.0.0/33', PROXIES],
    ['TRUST_PROXY', 'loopback, proxy.example', PROXIES],
    ['PORT', '65536', 'must be an integer from 0 to 65535.'],
    ['PUBLIC_PORT', '65536', 'must be an integer from 0 to 65535.'],
    ['PUBLIC_PORT', '3000', 'must be another port than PORT.'],
    ['METRICS_PORT', '65536', 'must be an integer from 0 to 65535.'],
    ['METRICS_PORT', '3000', 'must be another port than PORT.'],
    ['PORT', '0x10', 'must be an integer from 0 to 65535.'],
    ['LOG_LEVEL', 'verbose', 'must be trace, debug, info, warn, error, fatal or silent.'],
    ['WEB_CONCURRENCY', '0', 'must be an integer from 1 to 64.'],
    ['WEB_CONCURRENCY', 'auto', 'must be an integer from 1 to 64.'],
    ['SHUTDOWN_DELAY_SECONDS', '301', 'must be an integer from 0 to 300.'],
    ['SHUTDOWN_DELAY_SECONDS', '-1', 'must be an integer from 0 to 300.'],
    ['CORS_ORIGINS', '*', ORIGINS],
    ['CORS_ORIGINS', 'https://app.example/', ORIGINS],
    ['CORS_ORIGINS', 'https://app.example https://App.example', ORIGINS],
    ['OUTBOUND_ALLOWED_HOSTS', 'https://issuer.internal', HOSTS],
    ['OUTBOUND_ALLOWED_HOSTS', 'issuer.internal/path', HOSTS],
    ['TRUSTED_ISSUERS', 'everybody', 'must list self, x5c, *, DIDs and https origins.'],
    ['TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['TRUST_LISTS', '/nowhere/lists.json', 'must name a JSON file of trusted lists: it cannot be read.'],
    ['PUBLISHED_TRUST_LISTS', '/nowhere/lists.json', 'must name a JSON file of lists to publish: it cannot be read.'],
    ['STATUS_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['VERIFIER_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['VERIFIER_REGISTRATIONS', '/nowhere/certificates', 'must name a readable file of registration certificates.'],
    ['REGISTRAR_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['WALLET_TRUST_ANCHORS', '/nowhere/roots.pem', 'must name a readable PEM file of certificates.'],
    ['WALLET_CLIENTS', '/nowhere/wallets.json', 'must name a JSON file of wallets: it cannot be read.'],
    ['KEY_PROVIDERS', '/nowhere/providers.json', 'must name a JSON file of key providers: it cannot be read.'],
    ['ISSUER_KEY_PROVIDER', 'hsm', 'must be database or the name of a provider of KEY_PROVIDERS.'],
    ['VERIFIER_KEY_PROVIDER', 'hsm', 'must be database or the name of a provider of KEY_PROVIDERS.'],
    [
      'ISSUER_X509',
      '/nowhere/issuer.pem',
      'must name a readable PEM file of a private key, unencrypted, and its certificates.',
    ],
    ['ISSUER_REGISTRATIONS', '/nowhere/issuer.jwt', 'must name a readable file of registration certificates.'],
    [
      'ISSUER_REGISTRAR_DATASET',
      '/nowhere/set.json',
      'must name a JSON file with the data set of a registrar: it cannot be read.',
    ],
    ['ISSUER_REGISTRAR_DATASET', 'README.md', 'must name a JSON file with the data set of a registrar: it is no JSON.'],
    [
      'ISSUER_REGISTRAR_DATASET',
      'package.json',
      'must name a JSON file with the data set of a registrar: identifier must not be empty.',
    ],
    ['ISSUER_PROFILE', 'draft13', 'must be final or haip.'],
    ['ISSUER_LEGACY_PROFILES', 'draft13 draft14', 'must list draft15, draft13, draft11.'],
    ['ISSUER_LEGACY_PROFILES', 'final', 'must list draft15, draft13, draft11.'],
    ['CREDENTIAL_ENCRYPTION', 'on', 'must be off, offered or required.'],
    ['WALLET_REGISTRATION', 'always', 'must be optional or required.'],
    [
      'WALLET_PROVIDER_X509',
      '/nowhere/wallets.pem',
      'must name a readable PEM file of a private key, unencrypted, and its certificates.',
    ],
    [
      'VERIFIER_X509',
      '/nowhere/verifier.pem',
      'must name a readable PEM file of a private key, unencrypted, and its certificates.',
    ],
    [
      'VERIFIER_ATTESTATION',
      '/nowhere/verifier.jwt',
      'must name a file with one verifier attestation: it cannot be read.',
    ],
    [
      'VERIFIER_ATTESTATION_ISSUERS',
      '/nowhere/attesters.json',
      'must name a JWKS file of public keys, each with the issuer that it belongs to as iss.',
    ],
    ['VERIFIER_PROFILE', 'draft24', 'must be final or haip.'],
    ['VERIFIER_LEGACY_PROFILES', 'draft24,draft18', 'must list draft24, draft21.'],
    ['VERIFIER_LEGACY_PROFILES', 'final', 'must list draft24, draft21.'],
    ['VERIFIER_RESPONSE_MODE', 'fragment', 'must be direct_post or direct_post.jwt.'],
    ['SESSION_RESULT_TTL_SECONDS', '0', 'must be an integer from 1 to 31536000.'],
    ['SESSION_RETENTION_DAYS', 'forever', 'must be an integer from 1 to 36500.'],
    ['RETENTION_CLAIMS_DAYS', '0', 'must be an integer from 1 to 36500.'],
    ['RETENTION_AUDIT_DAYS', '29', 'must be an integer from 30 to 36500.'],
    ['SD_JWT_ISSUER', 'x509', 'must be did or url.'],
  ])('%s=%s', (name, value, problem) => {
    expect(refusalWith({ [name]: value })).toBe(line(`${name} ${problem}`))
  })

  it('WALLET_CLIENTS with one wallet twice, because one of its lists of addresses would be lost', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'wallets-')), 'wallets.json')
    const wallet = (uri: string) => ({ client_id: 'wallet', redirect_uris: [uri] })
    writeFileSync(file, JSON.stringify([wallet('https://one.example/cb'), wallet('https://other.example/cb')]))
    expect(refusalWith({ WALLET_CLIENTS: file })).toBe(
      line('WALLET_CLIENTS must name a JSON file of wallets: each client_id must stand there once.'),
    )
  })

  it.each(TWO_READINGS)('WALLET_CLIENTS with the address %j, which two programs may read differently', async (uri) => {
    const file = join(await mkdtemp(join(tmpdir(), 'wallets-')), 'wallets.json')
    writeFileSync(file, JSON.stringify([{ client_id: 'wallet', redirect_uris: [uri] }]))
    expect(refusalWith({ WALLET_CLIENTS: file })).toContain('WALLET_CLIENTS must name a JSON file of wallets: ')
  })

  it('a file without certificates as TRUST_ANCHORS', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'credence-'))
    const path = join(directory, 'roots.pem')
    writeFileSync(path, 'no certificate')
    expect(refusalWith({ TRUST_ANCHORS: path })).toBe(
      line('TRUST_ANCHORS must name a readable PEM file of certificates.'),
    )
    await rm(directory, { recursive: true })
  })
})
