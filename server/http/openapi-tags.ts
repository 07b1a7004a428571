/** Groups of operations. The groups for staff and backends come first, then the groups for wallets and the public. */
export const TAGS: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: 'Offerings',
    description: 'Stored templates that one holder or many can take by a QR code, and claiming them.',
  },
  {
    name: 'Credentials',
    description: 'Stored credentials: create without an offer, read, sign directly, revoke.',
  },
  {
    name: 'Status jobs',
    description: 'Jobs that revoke, suspend or reinstate many credentials, chosen by a filter.',
  },
  {
    name: 'Credential offers',
    description: 'Offers for one wallet (OpenID4VCI), and the sessions that show their progress.',
  },
  {
    name: 'Schemas',
    description: 'Credential types: a name, its versions, and the JSON Schema of their claims.',
  },
  { name: 'Images', description: 'Logos and other images of credential types, issuers and verifiers.' },
  { name: 'Verify', description: 'Checks one credential in one call and stores nothing.' },
  { name: 'VP queries', description: 'Stored queries, from which a verifier can make any number of requests.' },
  { name: 'Authorization requests', description: 'Requests for a presentation without a stored query.' },
  {
    name: 'Verification sessions',
    description: 'The progress of authorization requests, as a document or a stream, and the verified claims.',
  },
  { name: 'Webhooks', description: 'Addresses of backends that are told of events, and their deliveries.' },
  { name: 'QR codes', description: 'The QR codes of authorization requests.' },
  {
    name: 'Flows',
    description: 'Preview a scanned QR code, then claim or present after the holder confirms.',
  },
  { name: 'Holders', description: 'Hosted wallets: their DIDs, credentials and presentations.' },
  { name: 'Agent', description: 'Admins create and list holders, issuers, verifiers and DIDs.' },
  {
    name: 'Trust',
    description:
      'Keys and certificates of issuers and verifiers, and the issuers and roots that this installation trusts.',
  },
  { name: 'Console', description: 'Sign-in to the console, and its session.' },
  { name: 'Audit', description: 'Records of changes, with author and time, for admins.' },
  { name: 'Exports', description: 'Files with credentials, audit events or sessions, or with all data of a person.' },
  { name: 'OpenID4VCI', description: 'Endpoints for wallets that receive credentials (OpenID4VCI 1.0).' },
  { name: 'Pages', description: 'Pages where people present or receive credentials, and the files of these pages.' },
  { name: 'OpenID4VP', description: 'Endpoints for wallets that present credentials (OpenID4VP 1.0).' },
  { name: 'Metadata', description: 'The issuer’s metadata, which wallets read first.' },
  { name: 'DIDs', description: 'Hosted DID documents, keys, and which DIDs belong to this origin.' },
  { name: 'Status', description: 'Published status lists, which show the revoked credentials to everyone.' },
  { name: 'Operations', description: 'Health, version and this reference.' },
]
