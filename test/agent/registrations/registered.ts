import { createServer } from 'node:http'
import { expect } from 'vitest'
import { createTokenStatusList } from '../../../server/protocol/status-list/token-status-list.js'
import { makeCertificate, type TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { shopClaims, signedJwt } from '../../protocol/registration-certificates/world.js'
import { closeServer, listenLocally } from '../../support/local-server.js'
import type { TestService } from '../../support/service.js'
import { makeLeaf, makeRoot, signerOf, YEARS } from '../../verifier/certified.js'
import { certificateFor, pemOf } from '../authority.js'
import { intermediate } from '../certified.js'

export const SHOP = 'LEIXG-529900T8BM49AURSDO55'

const inSeconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** A registrar with its own status list. */
export async function startRegistrar() {
  const root = makeRoot('C=EU/Registrar')
  const provider = makeLeaf(root, { subject: 'C=EU/Provider' })
  const revoked = new Set<number>()
  const state = { away: false, by: provider, at: (): Date => new Date(), fetches: 0 }
  const server = createServer((request, response) => {
    state.fetches += 1
    if (state.away) {
      response.writeHead(503).end()
      return
    }
    void listOf(`${url}${request.url}`).then((list) => {
      response.writeHead(200, { 'content-type': 'application/statuslist+jwt' }).end(list)
    })
  })
  const url = await listenLocally(server)

  const listOf = async (uri: string): Promise<string> =>
    createTokenStatusList({
      signer: await signerOf(state.by),
      x5c: [state.by.x5c],
      issuer: 'https://registrar.example',
      uri,
      revokedIndices: [...revoked],
      size: 1_024,
      issuedAt: new Date(state.at().getTime() - 60_000),
      expiresAt: new Date(state.at().getTime() + 86_400_000),
      ttlSeconds: 60,
    })

  return {
    url,
    root,
    provider,
    state,
    revoke: (idx: number) => revoked.add(idx),

    /** A certificate for the shop, now and for 200 days. Its status is at index 156 unless the claims say otherwise. */
    certify: (more: Record<string, unknown> = {}, by: TestCertificate = provider): Promise<string> =>
      signedJwt(
        shopClaims({
          iat: inSeconds(new Date()) - 60,
          exp: inSeconds(new Date()) + 200 * 86_400,
          status: { status_list: { idx: 156, uri: `${url}/1` } },
          ...more,
        }),
        { by },
      ),
    close: () => closeServer(server),
  }
}

export type Registrar = Awaited<ReturnType<typeof startRegistrar>>

/** Makes a verifier whose access certificate names a party. */
export async function newVerifier(service: TestService, authorization: string, party = SHOP): Promise<string> {
  const body = { method: 'web', display: [{ name: 'Shop' }] }
  const { id } = (await service.request('POST', '/agent/verifier', { authorization, body })).json
  await giveAccess(service, authorization, { id, party })
  return id
}

/** Gives a verifier another access certificate. */
export async function giveAccess(
  service: TestService,
  authorization: string,
  { id, party, ...more }: { readonly id: string; readonly party: string; readonly notAfter?: string },
): Promise<void> {
  const path = `/agent/verifier/${id}`
  const { certificateRequest } = (await service.request('GET', `${path}/certificate-request`, { authorization })).json
  const leaf = certificateFor(certificateRequest, { subject: `C=DE/OI=${party}/Shop`, ...more })
  const answer = await service.request('POST', `${path}/certificate`, {
    authorization,
    body: { chain: pemOf(leaf, intermediate) },
  })
  expect(answer.status, answer.text).toBe(200)
}

/** A root whose certificates are for access only. */
export const accessLeaf = (party: string): TestCertificate =>
  makeCertificate({ subject: `C=DE/OI=${party}/Shop`, issuer: intermediate, keyUsage: 0x80, ...YEARS })
