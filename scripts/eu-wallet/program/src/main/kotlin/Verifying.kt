import eu.europa.ec.eudi.sdjwt.NimbusSdJwtOps
import eu.europa.ec.eudi.sdjwt.vc.IssuerVerificationMethod
import eu.europa.ec.eudi.sdjwt.vc.LookupTypeMetadataUsingKtor
import eu.europa.ec.eudi.sdjwt.vc.ResolveTypeMetadata
import eu.europa.ec.eudi.sdjwt.vc.TypeMetadataPolicy
import eu.europa.ec.eudi.sdjwt.vc.Vct
import eu.europa.ec.eudi.sdjwt.vc.X509CertificateTrust
import io.ktor.client.HttpClient
import kotlinx.serialization.json.JsonObject
import java.security.cert.X509Certificate

/** The library of SD-JWT VC as a verifier of credentials of this service. */
class Verifying(private val world: World, private val http: HttpClient) {
    private fun verifier(authority: String) = NimbusSdJwtOps.SdJwtVcVerifier(
        IssuerVerificationMethod.usingX5c(
            X509CertificateTrust<List<X509Certificate>> { chain: List<X509Certificate>, _: JsonObject -> leadsTo(chain, authority) },
        ),
        // With type metadata, version 0.20.0 refuses each claim without an entry there, such as `iat`.
        TypeMetadataPolicy.NotUsed,
        null,
    )

    /** Verifies the signature and the certificates. */
    suspend fun verify(credential: String) {
        verifier(world.issuerAuthority).verify(credential).getOrThrow()
    }

    /** Reads the type metadata of the service. */
    suspend fun typeMetadata() {
        val resolve = ResolveTypeMetadata(LookupTypeMetadataUsingKtor(http))
        val metadata = resolve(Vct(world.vct), null).getOrThrow()
        demand(metadata.claims.isNotEmpty()) { "The type metadata have no claims." }
    }

    /** A credential below a strange authority must be refused. */
    suspend fun strange(credential: String) {
        demand(verifier(world.registrarAuthority).verify(credential).isFailure) { "The library trusted a strange authority." }
    }
}
