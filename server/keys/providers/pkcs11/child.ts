import { ProviderRefusal, ProviderUnavailable } from '../provider.js'
import { loadLibrary } from './library.js'
import type { Answer, Calls, Question } from './messages.js'
import { faultOf, openToken, type Token } from './token.js'

/**
 * The process that talks to a token. A module may hang, crash or lose its state. Then this process ends, and the service
 * starts another one. So no request of the service waits for a module.
 */
function answer(send: (message: Answer) => void): void {
  let token: Token | undefined

  const opened = (): Token => {
    if (token === undefined) throw new ProviderUnavailable('the token is not open.')
    return token
  }

  const open = (given: Calls['open']['given']): Calls['open']['result'] => {
    const Library = loadLibrary()?.PKCS11
    if (Library === undefined)
      throw new ProviderRefusal('the package pkcs11js is not installed. Run npm run keys:pkcs11.')
    token = openToken(new Library(), given)
    return { algorithms: token.algorithms }
  }

  const resultOf = (question: Question): unknown => {
    if (question.call === 'open') return open(question.given)
    if (question.call === 'generate') return opened().generate(question.given.label, question.given.alg)
    if (question.call === 'find') return opened().find(question.given.reference)
    if (question.call === 'check') return opened().check()
    if (question.call === 'wrap') {
      const { reference, key, place } = question.given
      return opened().wrap(reference, key, place)
    }
    if (question.call === 'unwrap') {
      const { reference, wrapped, place } = question.given
      return opened().unwrap(reference, wrapped, place)
    }
    const { reference, alg, data } = question.given
    return opened().sign(reference, alg, data)
  }

  process.on('message', async (question: Question) => {
    const { id } = question
    try {
      send({ id, result: await resultOf(question) })
    } catch (thrown) {
      const error = faultOf(thrown)
      const fault =
        error instanceof ProviderRefusal ? 'refused' : error instanceof ProviderUnavailable ? 'away' : 'broken'
      send({ id, fault, reason: error.message })
    }
  })
}

// The service ends this process. A signal to the whole process group must not end it before the last request.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
process.on('disconnect', () => process.exit(0))
answer((message) => process.send?.(message))
