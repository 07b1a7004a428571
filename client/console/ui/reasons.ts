import type { Texts } from '../texts/texts.js'

type Words = Texts['reasons']

/** The host or code that a sentence names. Each group of the expression is an argument. */
type Said = (words: Words, ...groups: string[]) => string

/** The sentences of the service about failures, and the text of the console for each of them. */
const KNOWN: readonly (readonly [RegExp, Said])[] = [
  [/^Authorization request expired\.$/, (words) => words.requestExpired],
  [/^Declined by the holder\.$/, (words) => words.declined],
  // OpenID4VP 1.0 §8.5: the holder declined in the wallet.
  [/^Wallet answered access_denied\b/, (words) => words.declined],
  [/^Wallet answered ([\w.-]+?)(?:\.$|: )/, (words, code = '') => words.walletError(code)],
  [/^Wallet answered an unknown error\b/, (words) => words.walletError('?')],
  [/^Credential offer expired\.$/, (words) => words.offerExpired],
  [/^Offer cancelled\.$/, (words) => words.offerCancelled],
  [/^The transaction code is locked after \d+ wrong attempts\.$/, (words) => words.codeLocked],
  [/^The issuer rejected the request\.$/, (words) => words.offerRejected],
  [/^The wallet deleted the credential(?:\.$|: )/, (words) => words.walletDeleted],
  [/^The wallet could not take the credential(?:\.$|: )/, (words) => words.walletFailed],
  [/^Credential offer is not deferred\.$/, (words) => words.notDeferred],
  [/^Credential offer is (?:approved|rejected) already\.$/, (words) => words.decided],
  [/^Credential offer has (?:ended|been taken)\.$/, (words) => words.offerEnded],
  [/^Credential offer not found\.$/, (words) => words.offerUnknown],
  [/^Credential offer session changed meanwhile\. Try again\.$/, (words) => words.offerChanged],
  [/^The presentation failed\.$/, (words) => words.presentationFailed],
  [/^The delivery could not be signed or sent\.$/, (words) => words.notSent],
  [/^(\S+) answered with status (\d{3})\.$/, (words, host = '', status = '') => words.answeredStatus(host, status)],
  [/^(\S+) answered with an unknown status\.$/, (words, host = '') => words.unreadable(host)],
  [/^(\S+) (?:answered with a redirect|redirects )/, (words, host = '') => words.redirected(host)],
  [/^(\S+) did not answer within \d+ ms\.$/, (words, host = '') => words.noAnswer(host)],
  [/^Request to (\S+) failed \(\w+\)\.$/, (words, host = '') => words.noConnection(host)],
  [/^(\S+) has no address\.$/, (words, host = '') => words.noConnection(host)],
  [/^The address must be requested over https\.$/, (words) => words.wrongAddress],
  [/^(\S+) must be requested over https\.$/, (words, host = '') => words.needsHttps(host)],
  [/^(\S+) has an address that is not public, /, (words, host = '') => words.notPublic(host)],
  [/^\S+ is this service itself, /, (words) => words.ownAddress],
  [/^The address (?:of \S+ must not hold|is not an absolute URL)/, (words) => words.wrongAddress],
  [/^(\S+) answered with more than \d+ bytes\.$/, (words, host = '') => words.tooLarge(host)],
  [
    /^(\S+) answered (?:in a content coding|with (?:a body|text|something) that) /,
    (words, host = '') => words.unreadable(host),
  ],
]

/** The text for a sentence of the service, in the user's language; undefined for other sentences, also of persons. */
export function reasonIn(words: Words, sentence: string): string | undefined {
  for (const [form, said] of KNOWN) {
    const match = form.exec(sentence)
    if (match !== null) return said(words, ...match.slice(1))
  }
  return undefined
}
