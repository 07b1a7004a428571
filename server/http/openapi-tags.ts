/** Groups of operations: what staff and backends call first, then what wallets and the public ask for. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'Offerings',
    description: 'Credentials that are offered by a QR code, to one recipient or to many, and the claiming of them.',
  },
  {
    name: 'Credentials',
    description: 'Credentials on record: created without an offer, read, signed directly, revoked.',
  },
  {
    name: 'Credential offers',
    description: 'An offer for one wallet (OpenID4VCI), and the session by which its progress is watched.',
  },
  {
    name: 'Schemas',
    description: 'Credential types: a name, its versions, and the JSON Schema that subjects are held to.',
  },
  { name: 'Verify', description: 'One credential is checked in one call, and nothing is stored.' },
  { name: 'VP queries', description: 'What a verifier asks for, stored to be asked again.' },
  { name: 'Authorization requests', description: 'A presentation is asked for without a stored query.' },
  {
    name: 'Verification sessions',
    description: 'What became of an authorization request, read or watched, and the verified claims.',
  },
  { name: 'QR codes', description: 'The QR codes of authorization requests.' },
  {
    name: 'Flows',
    description: 'A scanned QR code is looked at first, and claimed or answered once its holder confirms.',
  },
  { name: 'Holders', description: 'Hosted wallets: their DIDs, what they hold and what they presented.' },
  { name: 'Agent', description: 'Holders, issuers, verifiers and DIDs are made and listed here, by admins.' },
  { name: 'Trust', description: 'What issuers and verifiers sign with, and whom this installation trusts.' },
  { name: 'Console', description: 'Login of the console, and who uses it.' },
  { name: 'Audit', description: 'Who changed what, and when, for admins.' },
  { name: 'OpenID4VCI', description: 'What wallets call to be issued credentials (OpenID4VCI 1.0).' },
  { name: 'Pages', description: 'Pages to which people are sent, to present or to receive, and what they load.' },
  { name: 'OpenID4VP', description: 'What wallets call to present credentials (OpenID4VP 1.0).' },
  { name: 'Metadata', description: 'What wallets read of the issuer before anything else.' },
  { name: 'DIDs', description: 'Hosted DID documents, keys, and which DIDs belong to this origin.' },
  { name: 'Status', description: 'Published status lists, by which anyone sees what is revoked.' },
  { name: 'Operations', description: 'Health, version and this reference.' },
]
