import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { didDocument } from '../../../server/protocol/did/did-document.js'
import { didKeyFromJwk } from '../../../server/protocol/did/did-key.js'
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from '../../../server/protocol/jose/algorithms.js'
import { createSigner, generateKeyPair } from '../../../server/protocol/jose/jws.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { startWebServer, type WebServer } from '../../verifier/web-server.js'
import { type Issuer, JWT_VC, SUBJECT, startIssuer } from '../openid4vci/actors.js'
import { knownWallet, newProvider, type Provider, trusting } from '../openid4vci/attestation-actors.js'
import { keyAttestationOf, startHaip } from '../openid4vci/haip-actors.js'
import { CLAIMS, LICENCE, licenceSchema, MDOC, postSchema, startMdocIssuer } from '../openid4vci/mdoc-actors.js'

const ATTESTED = 'AttestedLicence'
const FORMER = /-legacy$/

interface Configuration {
  readonly format: string
  readonly vct?: string
  readonly credential_signing_alg_values_supported: readonly unknown[]
  readonly cryptographic_binding_methods_supported: readonly string[]
  readonly proof_types_supported: Readonly<
    Record<
      string,
      {
        readonly proof_signing_alg_values_supported: readonly SignatureAlgorithm[]
        readonly key_attestations_required?: object
      }
    >
  >
}

const configurationsOf = async ({ service }: Issuer): Promise<[string, Configuration][]> =>
  Object.entries(
    (await service.request('GET', '/.well-known/openid-credential-issuer')).json.credential_configurations_supported,
  )

let wallets: ReadonlyMap<SignatureAlgorithm, WalletActor>
const walletWith = (alg: SignatureAlgorithm): WalletActor => {
  const wallet = wallets.get(alg)
  if (wallet === undefined) throw new Error(`No wallet signs with ${alg}.`)
  return wallet
}

/** Makes an attestation provider that signs with the given algorithm. */
async function providerWith(alg: SignatureAlgorithm): Promise<Provider> {
  const { privateJwk, publicJwk } = await generateKeyPair(alg)
  const [signer, other] = [await createSigner(privateJwk, 'provider-key'), await newProvider(`https://${alg}.example`)]
  return {
    ...other,
    signer,
    jwk: { ...publicJwk, kid: 'provider-key' },
    attestKeys: (keys, nonce, changes) => other.attestKeys(keys, nonce, { ...changes, by: signer }),
  }
}

let issuer: Issuer
/** A service that allows plain http, so that it can fetch DID documents from the loopback interface. */
let plain: Issuer
let web: WebServer
let providers: ReadonlyMap<SignatureAlgorithm, Provider>
let close: () => Promise<void>

beforeAll(async () => {
  wallets = new Map(await Promise.all(SIGNATURE_ALGORITHMS.map(async (alg) => [alg, await newWallet(alg)] as const)))
  web = await startWebServer()
  providers = new Map(
    await Promise.all(SIGNATURE_ALGORITHMS.map(async (alg) => [alg, await providerWith(alg)] as const)),
  )
  const known = [...providers].map(([alg, provider]) => knownWallet(`https://${alg}.example/wallet`, ['a:b'], provider))
  const env = { ...(await trusting(known)), ISSUER_LEGACY_PROFILES: 'draft13' }
  ;({ issuer, close } = await startMdocIssuer({ env }))
  plain = await startIssuer({ env: { ...env, OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${web.port}` } })
  const posted = await postSchema(issuer, licenceSchema({ name: ATTESTED, keyAttestation: {} }))
  expect(posted.status, posted.text).toBe(201)
})
afterAll(async () => {
  await close()
  await plain.service.close()
  await web[Symbol.asyncDispose]()
})

/** For each binding method: makes the header member with which a proof names its key (OpenID4VCI 1.0 §12.2.4). */
const NAMED: Readonly<Record<string, (wallet: WalletActor, alg: string) => Record<string, unknown>>> = {
  jwk: ({ publicJwk }) => ({ kid: undefined, jwk: publicJwk }),
  cose_key: ({ publicJwk }) => ({ kid: undefined, jwk: publicJwk }),
  'did:jwk': ({ kid }) => ({ kid, jwk: undefined }),
  'did:key': ({ publicJwk }) => {
    const did = didKeyFromJwk(publicJwk)
    return { kid: `${did}#${did.slice('did:key:'.length)}`, jwk: undefined }
  },
  'did:web': ({ publicJwk }, alg) => {
    const did = `did:web:127.0.0.1%3A${web.port}:${alg}`
    web.documents.set(`/${alg}/did.json`, { body: didDocument({ did, keys: [{ id: '#key', jwk: publicJwk }] }) })
    return { kid: `${did}#key`, jwk: undefined }
  },
}

/** Makes a proof with one combination of the values that the metadata list. */
async function proofOf(
  at: Issuer,
  type: string,
  alg: SignatureAlgorithm,
  method: string,
  isAttested: boolean,
): Promise<string> {
  const nonce = await at.nonce()
  // The metadata do not list algorithms for attested keys. ES256 works in every format.
  if (type === 'attestation') return (providers.get(alg) as Provider).attestKeys([walletWith('ES256').publicJwk], nonce)
  const wallet = walletWith(alg)
  const attestation = isAttested
    ? { key_attestation: await (providers.get(alg) as Provider).attestKeys([wallet.publicJwk], nonce) }
    : {}
  const header = { ...NAMED[method]?.(wallet, alg), ...attestation }
  return wallet.proof(at.service.config.issuerBaseUrl, nonce, { header })
}

/** A token for a configuration, with which a wallet may take the configuration many times. */
async function tokenFor(at: Issuer, id: string): Promise<string> {
  const profile = FORMER.test(id) ? { profile: 'draft13' } : {}
  const credentialSubject = id.startsWith(JWT_VC) ? SUBJECT : CLAIMS
  const made = await at.makeOffer({ credentialConfigurationIds: [id], credentialSubject, ...profile })
  return at.token(made.credentialOfferSessionId)
}

const requestFor = (id: string, { format, vct }: Configuration, type: string, proof: string): object =>
  FORMER.test(id)
    ? { format, vct, proof: { proof_type: type, [type]: proof } }
    : { credential_configuration_id: id, proofs: { [type]: [proof] } }

const credentialIn = ({ json }: Answer): string => json.credentials?.[0].credential ?? json.credential

/** Sends a request for each combination in a configuration, and returns the combinations that are refused. */
async function refusedChoices(at: Issuer, id: string, configuration: Configuration, methods: readonly string[]) {
  const token = await tokenFor(at, id)
  const refused: string[] = []
  for (const [type, listed] of Object.entries(configuration.proof_types_supported))
    for (const alg of listed.proof_signing_alg_values_supported)
      for (const method of methods) {
        const proof = await proofOf(at, type, alg, method, listed.key_attestations_required !== undefined)
        const answer = await at.requestCredential(token, requestFor(id, configuration, type, proof))
        if (answer.status !== 200) refused.push(`${id}, ${type}, ${alg}, ${method}: ${answer.text}`)
        else if (configuration.format !== 'mso_mdoc')
          expect(configuration.credential_signing_alg_values_supported).toContain(
            decodeProtectedHeader(credentialIn(answer).split('~')[0] ?? '').alg,
          )
      }
  return refused
}

describe('each choice that the metadata of a configuration list is accepted (OpenID4VCI 1.0 §12.2.4)', () => {
  it('proof types, algorithms and binding methods of every configuration together', async () => {
    const configurations = await configurationsOf(issuer)
    expect(configurations.map(([id]) => id)).toEqual(
      expect.arrayContaining([LICENCE, `${LICENCE}-sd-jwt`, MDOC, `${LICENCE}-sd-jwt-legacy`, `${ATTESTED}-mdoc`]),
    )
    for (const [id, configuration] of configurations) {
      const { cryptographic_binding_methods_supported: methods, proof_types_supported: types } = configuration
      expect(Object.keys(types), id).toEqual(['jwt', 'attestation'])
      // did:web documents usually need a host with a publicly trusted certificate, so this case is separate.
      const here = methods.filter((method) => method !== 'did:web')
      expect(await refusedChoices(issuer, id, configuration, here)).toEqual([])
    }
  })

  it('did:web, with every algorithm of every configuration that lists it', async () => {
    for (const [id, configuration] of await configurationsOf(plain)) {
      expect(configuration.cryptographic_binding_methods_supported).toContain('did:web')
      expect(await refusedChoices(plain, id, configuration, ['did:web'])).toEqual([])
    }
    expect(web.requests.length).toBeGreaterThan(0)
  })

  it('a mobile document lists no algorithm whose keys it cannot contain, and such keys are refused', async () => {
    const [, configuration] = (await configurationsOf(issuer)).find(([id]) => id === MDOC) ?? []
    const listed = configuration?.proof_types_supported.jwt?.proof_signing_alg_values_supported ?? []
    const others = SIGNATURE_ALGORITHMS.filter((alg) => !listed.includes(alg))
    expect(others).toEqual(['ES256K', 'RS256', 'PS256'])
    for (const alg of others) {
      const proof = await proofOf(issuer, 'jwt', alg, 'cose_key', false)
      const answer = await issuer.requestCredential(await tokenFor(issuer, MDOC), {
        credential_configuration_id: MDOC,
        proofs: { jwt: [proof] },
      })
      expect([answer.status, answer.json.error], alg).toEqual([400, 'invalid_proof'])
    }
  })

  it('also of an installation under HAIP', async () => {
    const haip = await startHaip()
    try {
      expect((await postSchema(haip.issuer, licenceSchema({ claimsFrom: undefined }))).status).toBe(201)
      const base = haip.issuer.service.config.issuerBaseUrl
      for (const [id, { proof_types_supported: types, cryptographic_binding_methods_supported: methods }] of (
        await configurationsOf(haip.issuer)
      ).filter(([name]) => name.startsWith(LICENCE))) {
        const offer = await haip.issuer.makeOffer({
          credentialConfigurationIds: [id],
          credentialSubject: CLAIMS,
          grant: 'authorization_code',
        })
        const { json } = await haip.issuer.service.request(
          'GET',
          `/openid4vci/offers/${offer.credentialOfferSessionId}`,
        )
        const issuerState = json.grants.authorization_code.issuer_state
        const granted = await haip.wallet.code({ scope: id, issuer_state: issuerState })
        const token = (await haip.wallet.redeem(granted)).json.access_token
        expect(methods).not.toContain('did:web')
        for (const alg of types.jwt?.proof_signing_alg_values_supported ?? []) {
          const jwt = await walletWith(alg).proof(base, await haip.issuer.nonce())
          const answer = await haip.wallet.request(token, { jwt: [jwt] }, id)
          expect(answer.status, `${id}, ${alg}: ${answer.text}`).toBe(200)
        }
        const attestation = await keyAttestationOf([await newWallet()], await haip.issuer.nonce())
        expect(types.attestation?.proof_signing_alg_values_supported).toContain('ES256')
        expect((await haip.wallet.request(token, { attestation: [attestation] }, id)).status).toBe(200)
      }
    } finally {
      await haip.close()
    }
  })
})
