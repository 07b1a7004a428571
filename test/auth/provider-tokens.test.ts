import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBearerCheck } from '../../server/auth/bearer.js'
import { createSigningKeys } from '../../server/auth/signing-keys.js'
import { readConfig } from '../../server/config/config.js'
import { accessToken, type JwksServer, newSigningKey, type SigningKey, startJwksServer } from './jwks-server.js'

/** Access tokens in the form that each provider's documentation gives, of a user with the roles `boss` and `issuing`. */
const TOKENS: Readonly<Record<string, { readonly header: object; readonly claims: Record<string, unknown> }>> = {
  // Keycloak, Server Administration Guide, "Protocol mappers": realm and client roles.
  Keycloak: {
    header: { typ: 'JWT' },
    claims: {
      typ: 'Bearer',
      azp: 'credence',
      sid: 'session',
      acr: '1',
      'allowed-origins': ['http://localhost:3000'],
      realm_access: { roles: ['offline_access', 'boss'] },
      resource_access: { credence: { roles: ['issuing'] }, account: { roles: ['manage-account'] } },
      scope: 'openid profile',
    },
  },
  // Microsoft identity platform, "Access token claims reference" (version 2.0).
  'Microsoft Entra ID': {
    header: { typ: 'JWT' },
    claims: {
      azp: '6e74172b-be56-4843-9ff4-e66a39bb12e3',
      azpacr: '1',
      oid: '690222be-ff1a-4d56-abd1-7e4f7d38e474',
      roles: ['boss', 'issuing'],
      scp: 'access_as_user',
      tid: '72f988bf-86f1-41af-91ab-2d7cd011db47',
      ver: '2.0',
    },
  },
  // Auth0, "Access Token Profiles" and "Create Custom Claims": a custom claim has a URI as its name.
  Auth0: {
    header: { typ: 'JWT' },
    claims: {
      azp: 'my_client_id',
      scope: 'openid profile offline_access',
      'https://credence.example/roles': ['boss', 'issuing'],
      permissions: ['read:offers'],
    },
  },
  // Okta, "Customize tokens returned from Okta with a groups claim": custom authorization server.
  Okta: {
    header: {},
    claims: {
      ver: 1,
      jti: 'AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE',
      cid: '0oaiw2v8m6',
      uid: '00uid4BxXw6I6TV4m0g3',
      scp: ['openid', 'profile'],
      groups: ['Everyone', 'boss', 'issuing'],
    },
  },
}

const page = readFileSync(fileURLToPath(new URL('../../docs/operations/logging-in.md', import.meta.url)), 'utf8')

/** The value of a cell in the table of providers: the text in backticks; undefined if the variable is not set. */
const valueIn = (cell: string) => /`([^`]+)`/.exec(cell)?.[1]

/** The settings of each provider, as docs/operations/logging-in.md lists them. */
const presets = [...page.matchAll(/^\| ([A-Z][\w ]+) \| `(https:[^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, name = '', issuer = '', audience = '', roles = '', scope = '']) => ({
    name,
    issuer,
    audience: valueIn(audience) ?? 'credence',
    roles: valueIn(roles) ?? '',
    scope: valueIn(scope) ?? '',
  }),
)

const configWith = (env: Record<string, string>) =>
  readConfig({
    ISSUER_BASE_URL: 'https://credence.example',
    VERIFIER_BASE_URL: 'https://credence.example',
    DATABASE_URL: 'postgres://db.example/credence',
    OIDC_JWKS_URL: jwks.url,
    ...env,
  })

let jwks: JwksServer
let key: SigningKey
beforeAll(async () => {
  key = await newSigningKey('RS256', 'one')
  jwks = await startJwksServer([key.publicJwk])
})
afterAll(() => jwks.stop())

/** The caller of a token, with the settings of an environment. */
async function callerOf(env: Record<string, string>, header: object, claims: Record<string, unknown>) {
  const config = configWith(env)
  const { jwksUrl = '', ...oidc } = config.oidc
  const keys = createSigningKeys(jwksUrl, oidc.algorithms)
  const check = createBearerCheck({ ...oidc, adminRole: config.adminRole, keys, clock: () => new Date() })
  return check(`Bearer ${await accessToken(key.privateKey, { alg: 'RS256', kid: 'one', ...header }, claims)}`)
}

const rolesOf = async (...sent: Parameters<typeof callerOf>) => [...(await callerOf(...sent)).roles].sort()

describe('the settings of docs/operations/logging-in.md', () => {
  it('are for these providers', () => {
    expect(presets.map(({ name }) => name)).toEqual(Object.keys(TOKENS))
  })

  it.each(Object.entries(TOKENS))('find the roles in a token of %s', async (name, { header, claims }) => {
    const preset = presets.find((one) => one.name === name)
    const { issuer = '', audience = '', roles = '', scope = '' } = preset ?? {}
    const env = {
      OIDC_ISSUER: issuer,
      OIDC_AUDIENCE: audience,
      OIDC_ROLES_CLAIM: roles,
      OIDC_SCOPE: scope,
      OIDC_CLIENT_ID: 'credence',
      ADMIN_ROLE: 'boss',
      ISSUER_ROLE: 'issuing',
    }
    const token = { ...claims, iss: issuer, aud: [audience, `${issuer}userinfo`] }
    expect(await rolesOf(env, header, token)).toEqual(expect.arrayContaining(['admin', 'boss', 'issuing']))
    await expect(callerOf(env, header, { ...token, aud: 'another' })).rejects.toThrow('Invalid access token.')
  })
})

describe('OIDC_ROLES_CLAIM', () => {
  const claims = {
    a: { 'b.c': ['one'], d: 'two' },
    'x://y/z': ['three'],
    scope: 'admin',
    realm_access: { roles: ['admin'] },
  }

  it.each([
    ['/a/b.c', ['one']],
    ['a.d', ['two']],
    ['x://y/z', ['three']],
    ['/x:~1~1y~1z', ['three']],
    ['a', []],
    ['missing.roles', []],
    ['__proto__.roles', []],
    ['constructor.name', []],
  ])('%s reads only this claim', async (path, expected) => {
    expect(await rolesOf({ OIDC_ROLES_CLAIM: path }, {}, claims)).toEqual(expected)
  })

  it('reads texts only', async () => {
    expect(await rolesOf({ OIDC_ROLES_CLAIM: 'r' }, {}, { r: ['one', 2, null, { admin: true }, ['admin']] })).toEqual([
      'one',
    ])
  })

  it.each(['a..b', '.', '/a//b', '/~2', '/'])('is refused at the start if it is no path: %s', (path) => {
    expect(() => configWith({ OIDC_ROLES_CLAIM: path })).toThrow(
      '- OIDC_ROLES_CLAIM must be a JSON pointer such as /realm_access/roles, or a path such as realm_access.roles.',
    )
  })
})

describe('ADMIN_ROLE', () => {
  it('attack: a role with the name admin has no effect if ADMIN_ROLE is a different role', async () => {
    const roles = { realm_access: { roles: ['admin', 'other'] } }
    expect(await rolesOf({ ADMIN_ROLE: 'boss' }, {}, roles)).toEqual(['other'])
    expect(await rolesOf({}, {}, roles)).toEqual(['admin', 'other'])
  })

  it('cannot differ from admin if ISSUER_ROLE or VERIFIER_ROLE is admin', () => {
    expect(() => configWith({ ADMIN_ROLE: 'boss', VERIFIER_ROLE: 'admin' })).toThrow(
      '- VERIFIER_ROLE must not be admin where ADMIN_ROLE is another role.',
    )
    expect(() => configWith({ ISSUER_ROLE: 'admin' })).not.toThrow()
  })
})
