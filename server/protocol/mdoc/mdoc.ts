/**
 * Mobile documents (ISO/IEC 18013-5) for OpenID4VCI and OpenID4VP, under the format name `mso_mdoc`: the functions for issuer,
 * verifier and hosted wallet. All other files in this folder are internal.
 */

export { STATUS_LIST_CWT_MEDIA_TYPE } from '../status-list/token-status-list.js'
export { issuerAlgorithmOf, type MdocClaims, type MdocContent, readMdoc } from './content.js'
export { coseAlgorithmsOf, isListedCose } from './cose/algorithms.js'
export { coseKeyOf, DEVICE_KEY_ALGORITHMS } from './cose/key.js'
export { elementPathOf, mdocPathFault, zMdocMeta } from './dcql.js'
export { type DeviceResponseOptions, verifyDeviceResponse } from './device-response.js'
export { type MdocElements, type MdocMapping, mappingFaults, mdocElementsOf } from './elements.js'
export { issueMdoc, type MdocInput } from './issue.js'
export { type ElementPath, type MdocPresentation, presentMdoc } from './present.js'
export { type DcApiRequest, dcApiTranscript, type RedirectRequest, redirectTranscript } from './session-transcript.js'
export {
  createStatusListCwt,
  decodeStatusListCwt,
  type StatusListCwt,
  verifyStatusListCwt,
} from './status-list-cwt.js'
export { type VerifiedMdoc, verifyIssuerSigned } from './verify.js'
