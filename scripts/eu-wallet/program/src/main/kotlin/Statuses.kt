import com.nimbusds.jose.crypto.ECDSAVerifier
import com.nimbusds.jose.jwk.ECKey
import com.nimbusds.jose.util.X509CertUtils
import com.nimbusds.jwt.SignedJWT
import eu.europa.ec.eudi.statium.GetStatus
import eu.europa.ec.eudi.statium.GetStatusListToken
import eu.europa.ec.eudi.statium.Status
import eu.europa.ec.eudi.statium.StatusIndex
import eu.europa.ec.eudi.statium.StatusReference
import eu.europa.ec.eudi.statium.VerifyStatusListTokenJwtSignature
import io.ktor.client.HttpClient
import kotlin.time.Clock

/** The library of Token Status Lists as a reader of the lists of the service and of the registrar. */
class Statuses(private val http: HttpClient) {
    /** @param authority the authority below which the list must be signed */
    suspend fun statusOf(uri: String, index: Int, authority: String): Status {
        val verify = VerifyStatusListTokenJwtSignature { token, _ ->
            runCatching {
                val jwt = SignedJWT.parse(token)
                val chain = jwt.header.x509CertChain.orEmpty().mapNotNull { X509CertUtils.parse(it.decode()) }
                demand(leadsTo(chain, authority)) { "The signer of the status list is not trusted." }
                demand(jwt.verify(ECDSAVerifier(ECKey.parse(chain.first())))) { "The signature of the status list is invalid." }
            }
        }
        val getStatus = GetStatus(GetStatusListToken.usingJwt(Clock.System, http, verify))
        return with(getStatus) { StatusReference(StatusIndex(index), uri).currentStatus().getOrThrow() }
    }

    /** The status of an SD-JWT VC. */
    suspend fun statusOf(credential: String, authority: String): Status {
        val status = SignedJWT.parse(credential.substringBefore('~')).jwtClaimsSet.getJSONObjectClaim("status")
        val reference = requireNotNull(status?.get("status_list") as? Map<*, *>) { "The credential has no status." }
        return statusOf(reference["uri"] as String, (reference["idx"] as Number).toInt(), authority)
    }
}
