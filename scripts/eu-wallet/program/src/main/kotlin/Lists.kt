import com.nimbusds.jose.JWSObject
import com.nimbusds.jose.crypto.ECDSAVerifier
import com.nimbusds.jose.jwk.ECKey
import eu.europa.ec.eudi.etsi119602.Uri
import eu.europa.ec.eudi.etsi119602.consultation.DownloadSingleLoTE
import eu.europa.ec.eudi.etsi119602.consultation.LoTELoadResult
import eu.europa.ec.eudi.etsi119602.consultation.LoadLoTEAndPointers
import eu.europa.ec.eudi.etsi119602.consultation.VerifyJwtSignature
import eu.europa.ec.eudi.etsi119602.consultation.eu.EUListOfTrustedEntitiesProfile
import eu.europa.ec.eudi.etsi119602.x509Certificate
import io.ktor.client.HttpClient
import java.security.cert.X509Certificate

/** The library of ETSI TS 119 602 as a reader of the lists of the run and of the service. */
class Lists(private val http: HttpClient) {
    /**
     * Reads a list, and compares it with its profile.
     *
     * @param signer the certificate that signs the list
     * @param authority a certificate that the list must have
     */
    suspend fun read(address: String, profile: EUListOfTrustedEntitiesProfile, signer: X509Certificate, authority: X509Certificate) {
        val verify = VerifyJwtSignature { jwt ->
            val isSigned = runCatching { JWSObject.parse(jwt).verify(ECDSAVerifier(ECKey.parse(signer))) }
            if (isSigned.getOrDefault(false)) VerifyJwtSignature.Outcome.Verified(jwt)
            else VerifyJwtSignature.Outcome.NotVerified(isSigned.exceptionOrNull())
        }
        val load = LoadLoTEAndPointers(
            LoadLoTEAndPointers.Constraints.DoNotLoadOtherPointers,
            verify,
            DownloadSingleLoTE(http),
        )
        val result = LoTELoadResult.collect(load(Uri.parse(address)))
        val list = requireNotNull(result.list?.lote) { "The list was not read: ${result.problems}" }
        with(profile) { list.ensureCompliesToProfile() }
        val certificates = list.entities.orEmpty()
            .flatMap { it.services }
            .flatMap { it.information.digitalIdentity.x509Certificates.orEmpty() }
            .map { it.x509Certificate() }
        demand(authority in certificates) { "The list has ${certificates.size} certificates, but not the wanted one." }
    }
}
