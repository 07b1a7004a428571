import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { type Answer, startService, type TestService } from '../../support/service.js'
import { type CertificateFiles, certificateFiles } from '../certified.js'
import { newVerifier, type Registrar, startRegistrar } from './registered.js'

/** The type of credential that the certificates of the registrar name. */
export const PID = { vct_values: ['urn:eudi:pid:1'] }
/** A claim that the certificates of the registrar name. */
export const AGE = ['age_equal_or_over', '18']
type Path = readonly unknown[]

/** A query for claims of the PID. */
export const credential = (...paths: readonly Path[]) => ({
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: PID,
  claims: paths.map((path) => ({ path })),
})
export const asks = (...paths: readonly Path[]) => ({ credentials: [credential(...paths)] })

export const pathOf = (id: string) => `/api/v1/verifiers/${id}/registration-certificates`

export const payloadOf = async ({ json, text }: Answer) => {
  if (json.request_uri === undefined) throw new Error(text)
  return decodeJwt<Record<string, unknown>>(await (await fetch(json.request_uri)).text())
}

/** An admin of a service with verifiers. */
export interface Desk {
  readonly service: TestService
  readonly authorization: string
  /** Makes a verifier whose access certificate names the shop, or another party. @returns its id */
  newVerifier(party?: string): Promise<string>
  add(id: string, certificate: string): Promise<Answer>
  /** Gives a verifier a new certificate of the registrar. @returns the answer to the admin */
  added(id: string, claims?: Record<string, unknown>): Promise<Answer['json']>
  list(id: string): Promise<Answer>
  /** Makes a request of a verifier. Without an id, the default verifier makes it. */
  ask(verifierId: string | undefined, dcqlQuery: unknown, more?: Record<string, unknown>): Promise<Answer>
  /** Lets the maintenance job look at every certificate now. */
  look(): Promise<void>
}

/** @param registrar certifies the verifiers of the service */
export async function deskAt(service: TestService, registrar: Registrar): Promise<Desk> {
  const authorization = await service.bearer('verifier', { roles: ['admin'] })
  const add = (id: string, certificate: string) =>
    service.request('POST', pathOf(id), { authorization, body: { certificate } })
  return {
    service,
    authorization,
    newVerifier: (party) => newVerifier(service, authorization, party),
    add,
    added: async (id, claims = {}) => {
      const answer = await add(id, await registrar.certify(claims))
      expect(answer.status, answer.text).toBe(201)
      return answer.json
    },
    list: (id) => service.request('GET', pathOf(id), { authorization }),
    ask: (verifierId, dcqlQuery, more = {}) =>
      service.request('POST', '/authorization-requests', {
        authorization,
        body: { dcqlQuery, responseMode: 'direct_post', ...(verifierId === undefined ? {} : { verifierId }), ...more },
      }),
    look: async () => {
      await query(service.databaseUrl, "UPDATE registration_certificates SET due_at = '2000-01-01'")
      for (const task of service.features.registrationWatch.tasks) await runTask(task, new Date())
    },
  }
}

/** A service that trusts a registrar, with its admin. */
export interface VerifierWorld {
  readonly registrar: Registrar
  readonly files: CertificateFiles
  readonly desk: Desk
  /** The variables of a service that trusts the registrar. */
  environment(): Promise<{ readonly REGISTRAR_TRUST_ANCHORS: string; readonly OUTBOUND_ALLOWED_HOSTS: string }>
  close(): Promise<void>
}

export async function startVerifierWorld(): Promise<VerifierWorld> {
  const registrar = await startRegistrar()
  const files = await certificateFiles()
  const environment = async () => ({
    REGISTRAR_TRUST_ANCHORS: await files.fileOf([registrar.root]),
    OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
  })
  const service = await startService({ maintenance: false, env: await environment() })
  return {
    registrar,
    files,
    desk: await deskAt(service, registrar),
    environment,
    close: async () => {
      await service.close()
      await registrar.close()
      await files.remove()
    },
  }
}
