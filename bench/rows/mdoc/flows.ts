import { measureActors } from '../../measure/actors.js'
import type { Caller } from '../../measure/caller.js'
import { answerTo } from '../../wallet/answer.js'
import { answerWithMdoc } from '../../wallet/answer-mdoc.js'
import { certificateFiles, certify } from '../../wallet/certificate-files.js'
import { type Endpoints, endpointsAt, takeOffered } from '../../wallet/issuance.js'
import { type BenchWallet, newBenchWallet } from '../../wallet/wallet.js'
import type { Installation, World } from '../../world.js'
import type { Row } from '../row.js'
import { goalsOf } from './goals.js'
import { CLAIMS, DOCTYPE, FORMATS, type Format, NAMESPACE, PURPOSE, SCHEMA, SUBJECT, TYPE } from './licence.js'

const AT_ONCE = 8
const WALLETS = 64
const HELD = 16

/** An installation with certificates: as an issuer of both formats, and as a verifier. */
async function startCertified(world: World): Promise<Installation> {
  const { fileOf, remove } = certificateFiles()
  const root = certify({ subject: 'Root', ca: true, keyUsage: 0x04 })
  const office = { subject: 'Office', issuer: root, keyUsage: 0x80, dns: ['127.0.0.1'] }
  const pem = (name: string, leaf: ReturnType<typeof certify>) =>
    fileOf(name, leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }), leaf.certificate)
  const env = {
    ISSUER_X509: pem('issuer.pem', certify({ ...office, purposes: [PURPOSE] })),
    VERIFIER_X509: pem('verifier.pem', certify(office)),
    TRUST_ANCHORS: fileOf('roots.pem', root.certificate),
    TRUSTED_ISSUERS: 'x5c',
  }
  return world.startInstallation(env).finally(remove)
}

function issuingRows({ service }: Installation, endpoints: Endpoints, offeringId: string): Row[] {
  const wallets = Array.from({ length: WALLETS }, newBenchWallet)
  const nameOf = ({ what }: Format) => `OpenID4VCI of ${what}, offer → token → nonce → credential, ${AT_ONCE} at once`
  return FORMATS.map((each) => {
    const flow = (caller: Caller, wallet: BenchWallet) =>
      takeOffered(caller, endpoints, { offeringId, configuration: `${TYPE}${each.suffix}` }, wallet)
    return {
      name: nameOf(each),
      goals: goalsOf('issuing', each, nameOf),
      measure: (seconds) => measureActors(service, wallets, flow, AT_ONCE, seconds),
    }
  })
}

type Answer = (requestObject: string) => Promise<{ path: string; response: string }>

const ELEMENTS = CLAIMS.map((name) => [NAMESPACE, name] as const)

/**
 * Makes wallets that have a credential of a format, and returns functions that answer requests. Each answer shows all
 * claims.
 */
async function answers({ credence }: Installation, { format }: Format): Promise<Answer[]> {
  const held = Array.from({ length: HELD }, async () => {
    const wallet = newBenchWallet()
    const asked = { type: TYPE, credential_subject: SUBJECT, format, holder: wallet.did }
    const { credential } = await credence.credentials.sign.mutate(asked)
    return async (requestObject: string) =>
      format === 'mso_mdoc'
        ? answerWithMdoc(requestObject, { wallet, issuerSigned: credential, elements: ELEMENTS })
        : answerTo(requestObject, { wallet, sdJwt: credential })
  })
  return Promise.all(held)
}

function queryOf({ format }: Format, url: string) {
  const query =
    format === 'mso_mdoc'
      ? { meta: { doctype_value: DOCTYPE }, claims: ELEMENTS.map((path) => ({ path })) }
      : { meta: { vct_values: [`${url}/vct/${TYPE}`] }, claims: CLAIMS.map((name) => ({ path: [name] })) }
  return { credentials: [{ id: 'licence', format, ...query }] }
}

async function presentingRow(installation: Installation, each: Format): Promise<Row> {
  const { service, authorization } = installation
  const json = { dcqlQuery: queryOf(each, service.url), clientIdPrefix: 'x509_hash', responseMode: 'direct_post.jwt' }
  const nameOf = ({ what }: Format) => `OpenID4VP of ${what}, direct_post.jwt, ${AT_ONCE} at once`
  const flow = async (caller: Caller, answer: Answer) => {
    const made = await caller.json('/authorization-requests', { headers: { authorization }, json })
    const { path, response } = await answer(await caller.text(new URL(String(made.request_uri)).pathname))
    await caller.json(path, { form: { response } })
  }
  const held = await answers(installation, each)
  return {
    name: nameOf(each),
    goals: goalsOf('verifying', each, nameOf),
    measure: (seconds) => measureActors(service, held, flow, AT_ONCE, seconds),
  }
}

/**
 * Rows that compare the flows of a mobile document and of an SD-JWT VC with the same claims: issuing and presenting.
 * They use a separate process and database.
 */
export async function formatFlowRows(world: World): Promise<Row[]> {
  const installation = await startCertified(world)
  const { credence } = installation
  await credence.schemas.create.mutate(SCHEMA)
  const { id } = await credence.offerings.create.mutate({ credential_type: TYPE, credential_subject: SUBJECT })
  const presenting = await Promise.all(FORMATS.map((each) => presentingRow(installation, each)))
  const endpoints = await endpointsAt(installation.service.url)
  return [...issuingRows(installation, endpoints, id), ...presenting]
}
