/** A challenge of `WWW-Authenticate` (RFC 9110 §11.6.1). Names are in lower case: they are case-insensitive (§11.1, §11.2). */
interface Challenge {
  readonly scheme: string
  readonly parameters: Map<string, string>
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const SEPARATORS = /[\s,]*/y
/** White space may stand around the equals sign (§11.2). */
const PARAMETER = new RegExp(`(${TOKEN})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))(?=\\s*(?:,|$))`, 'y')
/** A scheme, which credentials in the form of a token68 may follow (§11.2). */
const SCHEME = new RegExp(`(${TOKEN})(?:\\s+[A-Za-z0-9._~+/-]+=*(?=\\s*(?:,|$)))?(?=[\\s,]|$)`, 'y')

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The challenges of a header, up to the first part that breaks the grammar. */
function challengesIn(header: string): readonly Challenge[] {
  const found: Challenge[] = []
  let at = 0
  for (;;) {
    at += matchAt(SEPARATORS, header, at)?.[0].length ?? 0
    const parameter = matchAt(PARAMETER, header, at)
    const match = parameter ?? matchAt(SCHEME, header, at)
    if (match === null) return found
    const [whole, name = '', quoted, plain = ''] = match
    if (parameter === null) found.push({ scheme: name.toLowerCase(), parameters: new Map() })
    else found.at(-1)?.parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain)
    at += whole.length
  }
}

const SPELLINGS: Readonly<Record<string, string>> = { dpop: 'DPoP', bearer: 'Bearer', basic: 'Basic' }

/** The parameters that a client of OAuth reads. `error` is first, because the library misreads what follows some quoted texts. */
const READ = ['error', 'error_description', 'scope', 'algs']

/**
 * Writes the challenges of `WWW-Authenticate` as the library reads them. The library compares names case-sensitively, and knows
 * neither white space around an equals sign nor schemes without parameters. All other parts of the header are left out.
 */
export function withKnownSchemes(header: string): string {
  const known = challengesIn(header).flatMap(({ scheme, parameters }) => {
    const spelled = SPELLINGS[scheme]
    if (spelled === undefined) return []
    const read = READ.flatMap((name) => {
      const value = parameters.get(name)
      return value === undefined ? [] : [`${name}="${value.replace(/["\\]/g, '\\$&')}"`]
    })
    return read.length === 0 ? [] : [`${spelled} ${read.join(', ')}`]
  })
  return known.join(', ')
}

const CHALLENGES = 'www-authenticate'

/** A fetch that writes challenges as the library reads them. */
export function schemeNormalizing(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const answer = await fetch(input, init)
    const challenges = answer.headers.get(CHALLENGES)
    if (challenges === null) return answer
    const headers = new Headers(answer.headers)
    const known = withKnownSchemes(challenges)
    if (known === '') headers.delete(CHALLENGES)
    else headers.set(CHALLENGES, known)
    const { status, statusText } = answer
    return new Response(answer.body, { status, statusText, headers })
  }
}
