import { problemOf } from '../problems.js'
import { ToExplain } from '../screens/trust/explain/to-explain.js'
import { ProblemNote } from './problem-note.js'

/**
 * The error of a hosted wallet. If the wallet does not trust the issuer or the verifier, a link leads to the explanation of their
 * certificates.
 */
export function WalletProblem({ error }: { readonly error: unknown }) {
  const { untrusted } = problemOf(error)
  return (
    <>
      <ProblemNote error={error} />
      {untrusted !== undefined && <ToExplain signer={untrusted} />}
    </>
  )
}
