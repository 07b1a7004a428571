import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair } from 'jose'
import type Provider from 'oidc-provider'
import { createMemory } from './memory.js'
import { choicePage, problemPage, signOutPage } from './pages.js'
import { type Person, peopleWith, type RoleNames } from './people.js'

const CHOICE = '/sign-in'
const CLIENT_ID = 'credence'
const AUDIENCE = 'credence'
const RESOURCE = 'urn:credence'
const HOUR = 3600

/** Limit for the form in which a user chooses a person, in bytes. */
const MAX_FORM_BYTES = 1024

/** The identity provider of `npm start -- --login`. It is for development, and listens on loopback only. */
export interface BundledProvider {
  readonly issuer: string
  /** The variables that make a service a client of this provider. */
  readonly settings: Readonly<Record<string, string>>
  readonly people: readonly Person[]
  /** Accepts sign-ins for a service. @param baseUrl ISSUER_BASE_URL of the service */
  serve(baseUrl: string): Promise<void>
  close(): Promise<void>
}

/** Claims of a person (OpenID Connect Core 1.0 §5.1). */
const claimsOf = ({ id, givenName, familyName }: Person) => ({
  sub: id,
  name: `${givenName} ${familyName}`,
  given_name: givenName,
  family_name: familyName,
  preferred_username: id,
})

async function configurationOf(baseUrl: string, people: readonly Person[]) {
  const { interactionPolicy } = await import('oidc-provider')
  const prompts = interactionPolicy.base()
  prompts.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  const personOf = (id: unknown) => people.find((person) => person.id === id)
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = crypto.randomUUID()
  const callback = `${baseUrl}/console/callback`
  return {
    adapter: createMemory(),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [crypto.randomUUID()] },
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [callback, `${baseUrl}/openid4vci/authorize/callback`],
        post_logout_redirect_uris: [callback],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'given_name', 'family_name', 'preferred_username'] },
    // The ID token has all claims, because access tokens are for the service and not for userinfo.
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, id: string) => {
      const person = personOf(id)
      return person === undefined ? undefined : { accountId: id, claims: () => claimsOf(person) }
    },
    extraTokenClaims: (_context: unknown, token: { readonly accountId?: string }) => ({
      realm_access: { roles: personOf(token.accountId)?.roles ?? [] },
    }),
    discovery: { prompt_values_supported: ['login', 'consent', 'select_account'] },
    interactions: { policy: prompts, url: () => CHOICE },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true, allowedPolicy: async () => true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context: { body: string }, form: string) => {
          context.body = signOutPage(form)
        },
        postLogoutSuccessSource: (context: { body: string }) => {
          context.body = problemPage('You have signed out.')
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: AUDIENCE,
          accessTokenTTL: HOUR,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    pkce: { required: () => true },
    renderError: (context: { type: string; body: string }, out: { readonly error_description?: string }) => {
      context.type = 'html'
      context.body = problemPage(out.error_description ?? 'The request could not be answered.')
    },
    ttl: {
      AccessToken: HOUR,
      AuthorizationCode: 60,
      Grant: 24 * HOUR,
      IdToken: HOUR,
      Interaction: HOUR,
      RefreshToken: 24 * HOUR,
      Session: 24 * HOUR,
    },
  }
}

/** Reads the person that a user has chosen; undefined if the form names nobody. */
async function chosenPerson(request: IncomingMessage, people: readonly Person[]): Promise<Person | undefined> {
  const length = Number(request.headers['content-length'])
  if (!(length <= MAX_FORM_BYTES)) return undefined
  const form = new URLSearchParams(await text(request))
  return people.find(({ id }) => id === form.get('person'))
}

/** Answers the page on which a user chooses a person. */
async function choose(
  provider: Provider,
  people: readonly Person[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = (status: number, html: string) =>
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(html)
  const details = await provider.interactionDetails(request, response).catch(() => undefined)
  if (details === undefined) {
    answer(400, problemPage('This sign-in has expired, or it began in another browser. Begin again in the console.'))
    return
  }
  const person = request.method === 'POST' ? await chosenPerson(request, people) : undefined
  if (person === undefined) {
    answer(200, choicePage(people))
    return
  }
  const grant = new provider.Grant({ accountId: person.id, clientId: CLIENT_ID })
  grant.addOIDCScope('openid profile')
  await provider.interactionFinished(request, response, {
    login: { accountId: person.id },
    select_account: {},
    consent: { grantId: await grant.save() },
  })
}

/**
 * Opens the port of the provider on 127.0.0.1. The provider accepts sign-ins after `serve`.
 *
 * @param roles the names of the roles that the people have
 */
export async function openProvider(roles: RoleNames): Promise<BundledProvider> {
  const people = peopleWith(roles)
  let provider: Provider | undefined
  let handle: ReturnType<Provider['callback']> | undefined
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer)
    // A name that leads here by DNS rebinding is refused.
    if (`http://${request.headers.host}` !== issuer || provider === undefined) response.writeHead(421).end()
    else if (pathname !== CHOICE) void handle?.(request, response)
    else choose(provider, people, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('There is no free TCP port.')
  const issuer = `http://127.0.0.1:${address.port}`
  return {
    issuer,
    people,
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_JWKS_URL: `${issuer}/jwks`,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_AUDIENCE: AUDIENCE,
      ADMIN_ROLE: roles.admin,
      ISSUER_ROLE: roles.issuer,
      VERIFIER_ROLE: roles.verifier,
    },
    async serve(baseUrl) {
      const { default: OidcProvider } = await import('oidc-provider')
      provider = new OidcProvider(issuer, await configurationOf(baseUrl, people))
      handle = provider.callback()
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
