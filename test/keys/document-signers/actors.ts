import type { X509Certificate } from 'node:crypto'
import { expect } from 'vitest'
import { type CertificateFiles, HTTPS } from '../../agent/certified.js'
import { partsOf, signedByLeaf } from '../../agent/delegated.js'
import { postSchema, SUBJECT } from '../../issuer/purchase.js'
import type { TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { type Answer, startService, type TestService } from '../../support/service.js'

export const DELEGATED = { ISSUER_SIGNING: 'delegated' }

export const adminOf = (service: TestService) => service.bearer('alice', { roles: ['admin'], expiresIn: 800 * 86_400 })

/** An admin who signs, verifies and reads lists at a service. */
export async function actorsOf(service: TestService) {
  const authorization = await adminOf(service)
  const { name: type } = await postSchema(service, authorization)
  const trySign = (format: string, issuerId?: string): Promise<Answer> =>
    service.request('POST', '/credentials/sign', {
      authorization,
      body: { type, credential_subject: SUBJECT, format, ...(issuerId === undefined ? {} : { issuerId }) },
    })
  const sign = async (format = 'dc+sd-jwt', issuerId?: string): Promise<{ id: string; credential: string }> => {
    const answer = await trySign(format, issuerId)
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }
  const verify = async (credential: string, by = service) =>
    (await by.request('POST', '/credentials/verify', { authorization, body: { credential } })).json
  const list = async (credential: string, accept = 'application/statuslist+jwt'): Promise<Answer> => {
    const { status } = partsOf(credential).payload as { status: { status_list: { uri: string } } }
    const { pathname } = new URL(status.status_list.uri)
    return service.request('GET', pathname, { headers: { accept } })
  }
  const call = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { authorization, ...(body === undefined ? {} : { body }) })
  return { authorization, trySign, sign, verify, list, call }
}

export type Actors = Awaited<ReturnType<typeof actorsOf>>

/** Starts a service whose default issuer has the key of an authority, with its chain. `files` keeps the file of the chain. */
export const startDelegated = async (
  files: CertificateFiles,
  chain: readonly TestCertificate[],
  options: Parameters<typeof startService>[0] = {},
) =>
  startService({
    ...options,
    env: { ...HTTPS, ...DELEGATED, ISSUER_X509: await files.fileOf(chain), ...options.env },
  })

export const leafOfList = async (answer: Answer): Promise<X509Certificate> => {
  expect(answer.status, answer.text).toBe(200)
  return signedByLeaf(answer.text)
}
