import { createHash, randomBytes } from 'node:crypto'
import { digest, generateSalt } from '@sd-jwt/crypto-nodejs'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'
import { expect } from 'vitest'
import { type Jwk, signCompact } from '../../../server/protocol/jose/jws.js'
import { presentMdoc, redirectTranscript } from '../../../server/protocol/mdoc/mdoc.js'
import { presentSdJwtVc } from '../../../server/protocol/sd-jwt-vc/present.js'
import { certificateFiles, HTTPS, intermediate, leafOf, root, URL_OF_ISSUER } from '../../agent/certified.js'
import { certifiedKey } from '../../issuer/openid4vci/conformance-actors.js'
import { makeHolder } from '../../protocol/mdoc/actors.js'
import { startService } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Asked, ask, encrypt, postForm, type RequestPayload, sessionOf } from '../actors.js'
import { anchorFiles, makeLeaf, makeRoot, signerOf } from '../certified.js'
import { DOCTYPE, licence, NAMESPACE, redirectOf } from '../mdoc.js'

const SUITE = 'https://suite.example/test/a/credence'
const PID = 'urn:eudi:pid:1'
export const RETURN = 'https://shop.example/return?order=7'

/** The modules with a driving licence (`credential_format=iso_mdl`). */
export const MDL_QUERY = {
  credentials: [
    {
      id: 'mdl',
      format: 'mso_mdoc',
      meta: { doctype_value: DOCTYPE },
      claims: ['given_name', 'family_name'].map((element) => ({ path: [NAMESPACE, element] })),
    },
  ],
}

export const QUERY = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: [PID] },
      claims: [{ path: ['given_name'] }, { path: ['family_name'] }],
    },
  ],
}

const SUBJECT = {
  given_name: 'Jean',
  family_name: 'Dupont',
  birthdate: '1980-05-23',
  nationalities: ['FR'],
  place_of_birth: { country: 'DD' },
}

/** A request that the wallet has received, and the address with which the wallet was opened. */
export interface Received {
  readonly asked: Asked
  /** The address that opens the wallet, and its parameters. */
  readonly opened: string
  readonly address: Readonly<Record<string, string>>
  /** JOSE header of the request object; undefined if the request is in the address. */
  readonly header: ReturnType<typeof decodeProtectedHeader> | undefined
  readonly payload: RequestPayload
}

export interface MdlChanges {
  /** These members replace members of the request in the data that the device signs. */
  readonly over?: Partial<ReturnType<typeof redirectOf>>
  /** Changes the presentation. */
  readonly changed?: (presentation: string) => string
}

export interface Changes {
  /** Claims of the Key Binding JWT. */
  readonly keyBinding?: (claims: KeyBindingClaims) => Readonly<Record<string, unknown>>
  /** `sdJwt` changes the SD-JWT before the holder signs; `presentation` changes the presentation afterwards. */
  readonly sdJwt?: (sdJwt: string) => string
  readonly presentation?: (presentation: string) => string
  /** The key in `cnf.jwk`. */
  readonly holderJwk?: (jwk: Jwk) => Readonly<Record<string, unknown>>
}

interface KeyBindingClaims {
  readonly iat: number
  readonly aud: string
  readonly nonce: string
  readonly sd_hash: string
}

export const seconds = () => Math.floor(Date.now() / 1000)

/** The suite's authorization endpoint for requests. */
export const WALLET = `${SUITE}/authorize`

/** The root that `x5c` must lead to, and the intermediate certificate. */
export const AUTHORITIES = { root, intermediate }

export type Suite = Awaited<ReturnType<typeof startSuite>>

/** A verifier with a public https address, and the wallet of the conformance suite with its own credential. */
export async function startSuite() {
  const [files, anchors] = await Promise.all([certificateFiles(), anchorFiles()])
  const issuerRoot = makeRoot('PID provider')
  const issuer = makeLeaf(issuerRoot, { subject: 'PID', uri: [SUITE] })
  const service = await startService({
    env: {
      ...HTTPS,
      VERIFIER_X509: await files.fileOf([leafOf({ subject: 'Verifier' }), intermediate, root]),
      TRUSTED_ISSUERS: 'x5c',
      TRUST_ANCHORS: await anchors.write('pid', issuerRoot),
    },
  })
  const local = (url: string) => service.url + url.slice(URL_OF_ISSUER.length)

  /** A PID whose claims can be disclosed separately, with decoys. */
  async function credentialFor(holderJwk: Readonly<Record<string, unknown>>): Promise<string> {
    const signer = await signerOf(issuer)
    const library = new SDJwtVcInstance({
      hasher: digest,
      hashAlg: 'sha-256',
      saltGenerator: generateSalt,
      signer: async (data) => Buffer.from(await signer.sign(Buffer.from(data))).toString('base64url'),
      signAlg: 'ES256',
    })
    const times = { iat: seconds(), exp: seconds() + 14 * 86_400 }
    return library.issue(
      { vct: PID, iss: SUITE, ...times, cnf: { jwk: holderJwk as never }, ...SUBJECT },
      { _sd: ['given_name', 'family_name', 'birthdate', 'nationalities', 'place_of_birth'], _sd_decoy: 3 },
      { header: { typ: 'dc+sd-jwt', x5c: [issuer.x5c] } },
    )
  }

  async function presentation({ payload }: Received, changes: Changes): Promise<string> {
    const wallet: WalletActor = await newWallet()
    const full = { ...wallet.publicJwk, kid: 'holder', use: 'sig', alg: 'ES256' }
    const credential = await credentialFor(changes.holderJwk?.(full) ?? full)
    const { sdJwt: changed = (sdJwt: string) => sdJwt } = changes
    const sdJwt = changed(presentSdJwtVc(credential, [['given_name'], ['family_name']]))
    const claims = {
      iat: seconds(),
      aud: payload.client_id,
      nonce: payload.nonce,
      sd_hash: createHash('sha256').update(sdJwt).digest('base64url'),
    }
    const changedClaims = { ...claims, ...changes.keyBinding?.(claims) }
    const keyBinding = await signCompact(wallet.signer, { typ: 'kb+jwt', kid: undefined }, changedClaims)
    return (changes.presentation ?? ((same) => same))(sdJwt + keyBinding)
  }

  return {
    service,

    /** Opens a wallet with a request. If the request is not in the address, fetches it: by GET, or by POST with a form. */
    async received(members: Readonly<Record<string, unknown>>, form?: Record<string, string>): Promise<Received> {
      const body = { dcqlQuery: QUERY, redirectUri: RETURN, walletUrl: WALLET, ...members }
      const asked = await ask(service, body)
      const opened = asked.walletUri ?? ''
      const address = Object.fromEntries(new URL(opened).searchParams)
      if (address.request_uri !== undefined) {
        return { asked, opened, address, ...(await this.fetched(address.request_uri, form)) }
      }
      const objects = ['dcql_query', 'client_metadata'].map((name) => [name, JSON.parse(address[name] ?? '')])
      const payload = { ...address, ...Object.fromEntries(objects) } as unknown as RequestPayload
      return { asked, opened, address, header: undefined, payload }
    },

    /** Reads the request object of a `request_uri`, and checks its signature with the certificate in its header. */
    async fetched(requestUri: string, form?: Record<string, string>) {
      const accept = 'application/oauth-authz-req+jwt'
      const post = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
      const response = await fetch(local(requestUri), { headers: { accept }, ...post })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, accept])
      const compact = await response.text()
      const header = decodeProtectedHeader(compact)
      const key = certifiedKey(header.x5c) as Parameters<typeof importJWK>[0]
      await compactVerify(compact, await importJWK(key, 'ES256'))
      return { header, payload: decodeJwt<RequestPayload>(compact) }
    },

    /** Answers with a presentation, encrypted if the request asks for encryption. */
    async answered(request: Received, changes: Changes = {}) {
      return this.answeredWith(request, { pid: [await presentation(request, changes)] })
    },

    /** Answers with a driving licence. A test may change the licence and the signed request. */
    async answeredWithMdl(request: Received, { over = {}, changed = (same: string) => same }: MdlChanges = {}) {
      const holder = await makeHolder()
      const sessionTranscript = redirectTranscript({ ...redirectOf(request.payload), ...over })
      const issuerSigned = await licence({ ...issuer, signer: await signerOf(issuer) }, holder)
      const disclose = ['given_name', 'family_name'].map((element) => [NAMESPACE, element] as const)
      const presented = await presentMdoc({ issuerSigned, disclose, sessionTranscript, signer: holder })
      return this.answeredWith(request, { mdl: [changed(presented)] })
    },

    async answeredWith({ payload }: Received, vp_token: Record<string, unknown>) {
      const response = { vp_token, state: payload.state }
      if (payload.response_mode === 'direct_post') {
        const vpToken = JSON.stringify(response.vp_token)
        return postForm(local(payload.response_uri), { ...response, vp_token: vpToken })
      }
      const [enc = ''] = payload.client_metadata.encrypted_response_enc_values_supported ?? []
      const parties = { apu: randomBytes(16), apv: randomBytes(16) }
      return postForm(local(payload.response_uri), { response: await encrypt(payload, response, { enc, parties }) })
    },

    session: ({ asked }: Received) => sessionOf(service, asked),

    async close() {
      await service.close()
      await files.remove()
      await anchors[Symbol.asyncDispose]()
    },
  }
}
