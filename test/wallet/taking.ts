import { type RemoteIssuer, type RemoteIssuerOptions, startRemoteIssuer } from '../support/remote-issuer.js'
import type { Answer, TestService } from '../support/service.js'
import { type HostedWallet, newWallet } from '../support/wallet.js'
import type { SeenRequest } from '../support/wallet-http.js'

export interface Taking extends AsyncDisposable {
  readonly issuer: RemoteIssuer
  readonly wallet: HostedWallet
  readonly answer: Answer
}

/** Lets a new wallet take an offer of a new independent issuer. */
export async function taking(
  service: TestService,
  options: RemoteIssuerOptions = {},
  more: Readonly<Record<string, unknown>> = {},
): Promise<Taking> {
  const issuer = await startRemoteIssuer(options)
  const wallet = await newWallet(service)
  const answer = await wallet.process(await issuer.offer(), more)
  return { issuer, wallet, answer, [Symbol.asyncDispose]: () => issuer.close() }
}

export const requestsTo = (issuer: RemoteIssuer, path: string): SeenRequest[] =>
  issuer.seen.filter((request) => request.path === path)

/** Reads a credential in a wallet as compact text. */
export async function compactOf(wallet: HostedWallet, credential: { readonly id: string }): Promise<string> {
  return (await wallet.get(`/credentials/${credential.id}`)).json.credential
}

/** The proofs of the last credential request. */
export function lastProofs(issuer: RemoteIssuer): string[] {
  const text = requestsTo(issuer, '/credential').at(-1)?.text ?? '{}'
  return JSON.parse(text).proofs.jwt
}
