/** Namespaces of XML Signature and XAdES. */
export const DS = 'http://www.w3.org/2000/09/xmldsig#'
export const XADES = 'http://uri.etsi.org/01903/v1.3.2#'
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'

export const ENVELOPED = `${DS}enveloped-signature`
/** The type of the reference to the signed properties (EN 319 132-1 §4.4.2). */
export const SIGNED_PROPERTIES = 'http://uri.etsi.org/01903#SignedProperties'
