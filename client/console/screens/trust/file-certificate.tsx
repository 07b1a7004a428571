import type { SignerKind, Signing } from '../../queries/trust.js'
import { useTexts } from '../../texts/use-texts.js'
import { Command } from './command.js'

interface Props {
  readonly kind: SignerKind
  /** The host name in the new certificate. */
  readonly host: string
  /** The documents that the key of the default issuer signs itself. */
  readonly signing?: Signing
}

/** The extensions of a certificate, by what its key signs. */
const EXTENSIONS = {
  every: '-addext "keyUsage=critical,digitalSignature"',
  delegated: '-addext "basicConstraints=critical,CA:TRUE,pathlen:0" -addext "keyUsage=critical,keyCertSign"',
} as const satisfies Readonly<Record<Signing, string>>

/**
 * Instructions for a certificate of the default issuer or verifier. The key and the certificates of these records are
 * in a file.
 */
export function FileCertificate({ kind, host, signing = 'every' }: Props) {
  const { trust: words } = useTexts()
  const variable = kind === 'issuer' ? 'ISSUER_X509' : 'VERIFIER_X509'
  const request = [
    `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ${kind}.key -out ${kind}.csr`,
    `-subj "/C=DE/O=Your organisation/CN=${host}" -addext "subjectAltName=DNS:${host}"`,
    EXTENSIONS[signing],
  ].join(' \\\n  ')
  return (
    <ol className="steps">
      <li>
        <p>{words.fileRequest}</p>
        <Command what={words.requestCommand} command={request} />
      </li>
      <li>{words.fileSend(`${kind}.csr`)}</li>
      <li>
        <p>{words.fileJoin}</p>
        <Command what={words.joinCommand} command={`cat ${kind}.key ${kind}.pem > ${kind}-x509.pem`} />
      </li>
      <li>{words.fileSet(variable, `${kind}-x509.pem`)}</li>
    </ol>
  )
}
