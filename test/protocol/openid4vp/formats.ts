import { zDcqlQuery as dcqlQueryOf } from '../../../server/formats/contract.js'
import { sdJwtVcView } from '../../../server/formats/dc-sd-jwt/view.js'
import { standardFormats } from '../../../server/formats/registry.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import { dcqlFromVpQuery } from '../../../server/protocol/openid4vp/dcql/from-vp-query.js'
import { compileVpQuery, type FieldConstraint } from '../../../server/protocol/openid4vp/query/vp-query.js'
import { requestWork } from '../request-work.js'

/** The formats of the service and the data of one installation, for tests of queries. */
export const FORMATS = standardFormats.all

export const INSTALLATION = { issuerBaseUrl: 'https://issuer.example' }

export const zDcqlQuery = dcqlQueryOf(standardFormats)

export const sdJwtView = (claims: JsonObject) => sdJwtVcView(claims, INSTALLATION)

/** Makes the DCQL query for items of a VP query, in an installation with these types. */
export const dcqlOf = (items: readonly FieldConstraint[][], ...names: readonly string[]) =>
  dcqlFromVpQuery(
    compileVpQuery(
      items.map((fields) => ({ fields })),
      requestWork(),
    ),
    { ...INSTALLATION, names },
    FORMATS,
    requestWork(),
  )
