import type { Stage } from '../stage.js'
import { purchase, TYPE } from './purchase.js'
import { watch } from './watch.js'

interface Holder {
  readonly id: string
  readonly did: string
}

async function newHolder(stage: Stage): Promise<Holder> {
  stage.step('The service makes a hosted wallet for Bob')
  const { id, did = '' } = await stage.credence.agentHolders.create.mutate({ method: 'key' })
  stage.saw('holder', id)
  stage.saw('DID', did)
  stage.mustBe('the DID method', did.split(':')[1], 'key')
  return { id, did }
}

/** Takes a credential: the service is issuer and wallet. */
async function take(stage: Stage, { id }: Holder): Promise<void> {
  stage.step('As issuer it offers a credential, as wallet it takes it in both formats')
  const offering = await stage.credence.offerings.create.mutate({
    credential_type: TYPE,
    credential_subject: purchase('Milk frother'),
    redemption_limit: 1,
  })
  const taken = await stage.credence.holders.process.mutate({ holderId: id, uri: offering.offering_full_url })
  const credentials = taken.type === 'credential_offer' ? taken.credentials : []
  stage.saw('credentials', credentials.map(({ format, status }) => `${format} (${status})`).join(', '))
  stage.mustBe('the formats', credentials.map(({ format }) => format).sort(), ['dc+sd-jwt', 'jwt_vc_json'])
}

/**
 * Presents a credential: the service is verifier and wallet. The first time, the wallet answers automatically. The
 * second time, Bob chooses the credential and confirms.
 */
async function present(stage: Stage, { id, did }: Holder): Promise<void> {
  const newRequest = () =>
    stage.credence.authorizationRequests.create.mutate({
      query: [{ fields: [{ path: ['$.vct'] }, { path: ['$.productName'] }] }],
    })
  stage.step('As verifier it asks for the product, as wallet it answers')
  const first = await newRequest()
  using watching = watch(stage, first.verificationSessionId)
  await stage.credence.holders.process.mutate({ holderId: id, uri: first.authorizationRequestUri })
  await watching.until('ResponseVerified')

  stage.step('It asks again, and Bob chooses what to present')
  const second = await newRequest()
  const { flowType, data } = await stage.credence.flows.start.mutate({ qrContent: second.authorizationRequestUri, did })
  stage.mustBe('the kind of flow', flowType, 'presentation')
  const [choice] = 'matchingCredentials' in data ? data.matchingCredentials : []
  stage.saw('he may choose', choice?.credentialSubject)
  const { status, message } = await stage.credence.flows.confirm.mutate({
    processId: data.processId,
    type: 'presentation',
    selectedCredential: { id: choice?.id },
  })
  stage.saw('answer', `${status}: ${message}`)
  const session = await stage.credence.verificationSessions.read.query({ sessionId: second.verificationSessionId })
  stage.saw('the session says', session.state)
  stage.mustBe('its state', session.state, 'ResponseVerified')
}

/** The scene with a hosted wallet, for holders without a phone: the service is issuer, wallet and verifier. */
export async function hostedWallet(stage: Stage): Promise<void> {
  const holder = await newHolder(stage)
  await take(stage, holder)
  await present(stage, holder)
}
