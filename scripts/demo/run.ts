import { type CredenceError, isCredenceError } from '../../client/index.js'
import { arrive } from './scenes/arrive.js'
import { hostedWallet } from './scenes/hosted-wallet.js'
import { claim, signDirectly } from './scenes/issue.js'
import { offer } from './scenes/offer.js'
import { prepareSchema } from './scenes/prepare-schema.js'
import { revoke } from './scenes/revoke.js'
import { tamper } from './scenes/tamper.js'
import { verify } from './scenes/verify.js'
import { walletPresents } from './scenes/wallet-presents.js'
import { walletTakes } from './scenes/wallet-takes.js'
import { createStage, type DemoOptions, type Stage, Surprise } from './stage.js'
import { newWallet } from './wallet/wallet.js'

/** Plays all scenes in order. */
async function play(stage: Stage, scene: (title: string) => void): Promise<void> {
  scene('The service')
  await arrive(stage)
  scene('A credential type')
  await prepareSchema(stage)
  scene('An offering and its QR code')
  const offering = await offer(stage)
  scene('A credential in both formats')
  const claimed = await claim(stage, offering)
  const signed = await signDirectly(stage)
  scene('Verifying')
  await verify(stage, claimed, signed)
  scene('Tampered copies')
  await tamper(stage, claimed, signed)
  scene('Revocation')
  await revoke(stage, claimed)
  await revoke(stage, signed)
  scene('A wallet takes a credential over OpenID4VCI')
  const wallet = await newWallet(stage, 'Alice')
  const held = await walletTakes(stage, wallet)
  scene('The wallet presents it over OpenID4VP')
  await walletPresents(stage, wallet, held)
  scene('Three roles in one: a hosted wallet')
  await hostedWallet(stage)
}

function refusal({ data, message }: CredenceError): string {
  if (data === undefined || data === null)
    return `The service cannot be reached (${message}). Start it with npm start, or name it in CREDENCE_URL.`
  const hint =
    data.httpStatus === 401 || data.httpStatus === 403 ? ' Set ACCESS_TOKEN (of an admin) and CLIENT_SECRET.' : ''
  return `${data.path ?? 'The service'} was refused: ${data.httpStatus} ${message}${hint}`
}

function explain(thrown: unknown): string {
  if (thrown instanceof Surprise) return thrown.message
  if (isCredenceError(thrown)) return refusal(thrown)
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

/**
 * Plays all scenes with a running service, and prints each step with its result.
 *
 * @returns the exit code: 0 if every step had the expected result
 */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { print } = options
  let scenes = 0
  const scene = (title: string) => {
    scenes += 1
    print(`\n${scenes}. ${title}`)
  }
  try {
    await play(createStage(options), scene)
    print('\n✓ Every step saw what it should.')
    return 0
  } catch (thrown) {
    print(`\n✗ ${explain(thrown)}`)
    return 1
  }
}
