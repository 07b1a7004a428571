import eu.europa.esig.dss.enumerations.DigestAlgorithm;
import eu.europa.esig.dss.enumerations.EncryptionAlgorithm;
import eu.europa.esig.dss.enumerations.JWSSerializationType;
import eu.europa.esig.dss.enumerations.SigDMechanism;
import eu.europa.esig.dss.enumerations.SignatureLevel;
import eu.europa.esig.dss.enumerations.SignaturePackaging;
import eu.europa.esig.dss.jades.JAdESSignatureParameters;
import eu.europa.esig.dss.jades.signature.JAdESService;
import eu.europa.esig.dss.jaxb.object.Message;
import eu.europa.esig.dss.model.DSSDocument;
import eu.europa.esig.dss.model.InMemoryDocument;
import eu.europa.esig.dss.model.SignatureValue;
import eu.europa.esig.dss.model.ToBeSigned;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.signature.AbstractSignatureParameters;
import eu.europa.esig.dss.signature.DocumentSignatureService;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonCertificateSource;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.token.DSSPrivateKeyEntry;
import eu.europa.esig.dss.token.Pkcs12SignatureToken;
import eu.europa.esig.dss.tsl.validation.TLValidatorTask;
import eu.europa.esig.dss.validation.SignedDocumentValidator;
import eu.europa.esig.dss.validation.reports.Reports;
import eu.europa.esig.dss.xades.XAdESSignatureParameters;
import eu.europa.esig.dss.xades.reference.Base64Transform;
import eu.europa.esig.dss.xades.reference.CanonicalizationTransform;
import eu.europa.esig.dss.xades.reference.DSSReference;
import eu.europa.esig.dss.xades.reference.DSSTransform;
import eu.europa.esig.dss.xades.reference.EnvelopedSignatureTransform;
import eu.europa.esig.dss.xades.reference.XPath2FilterEnvelopedSignatureTransform;
import eu.europa.esig.dss.xades.reference.XPathTransform;
import eu.europa.esig.dss.xades.reference.XsltTransform;
import eu.europa.esig.dss.xades.signature.XAdESService;
import eu.europa.esig.dss.xades.tsl.AbstractTrustedListSignatureParametersBuilder;
import eu.europa.esig.dss.xades.tsl.TrustedListV5SignatureParametersBuilder;
import eu.europa.esig.dss.xades.tsl.TrustedListV6SignatureParametersBuilder;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jose4j.json.JsonUtil;

/**
 * Signs and validates lists with the European Commission's library SD-DSS. It reads one request in JSON from each line of
 * its input, and answers with one line: {"ok": …} or {"error": "…"}.
 */
public final class SdDss {
    private static final String PASSWORD = "test";

    public static void main(String[] arguments) throws Exception {
        // Only answers go to the standard output.
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            answers.println(JsonUtil.toJson(answerTo(new Request(JsonUtil.parseJson(line)))));
        }
    }

    private static Map<String, Object> answerTo(Request request) {
        try {
            return Map.of("ok", switch (request.text("do")) {
                case "check-xml" -> checkXml(request);
                case "sign-xml" -> signXml(request);
                case "validate-xml" -> validateXml(request);
                case "sign-json" -> signJson(request);
                case "validate-json" -> validateJson(request);
                default -> throw new IllegalArgumentException("unknown request");
            });
        } catch (Exception | LinkageError error) {
            return Map.of("error", error.getClass().getSimpleName() + ": " + error.getMessage());
        }
    }

    /** Checks an unsigned list against the schemas of ETSI TS 119 612. */
    private static Object checkXml(Request request) throws Exception {
        listParameters(request, certificate(request.texts("chain").get(0))).assertConfigurationIsValid();
        return true;
    }

    private static AbstractTrustedListSignatureParametersBuilder listParameters(Request request, CertificateToken signer) {
        DSSDocument document = request.document();
        return request.number("version") == 5
            ? new TrustedListV5SignatureParametersBuilder(signer, document)
            : new TrustedListV6SignatureParametersBuilder(signer, document);
    }

    /** Signs a list in XML with the parameters of the library's own builder for trusted lists, and changes them as asked. */
    private static Object signXml(Request request) throws Exception {
        try (Pkcs12SignatureToken token = token(request)) {
            DSSPrivateKeyEntry key = token.getKeys().get(0);
            DigestAlgorithm digest = DigestAlgorithm.valueOf(request.text("digest"));
            AbstractTrustedListSignatureParametersBuilder builder = listParameters(request, key.getCertificate());
            builder.setReferenceDigestAlgorithm(digest);
            XAdESSignatureParameters parameters = builder.build();
            parameters.setCertificateChain(key.getCertificateChain());
            parameters.setDigestAlgorithm(digest);
            if (request.flag("pss")) parameters.setEncryptionAlgorithm(EncryptionAlgorithm.RSASSA_PSS);
            parameters.setSigningCertificateDigestMethod(DigestAlgorithm.valueOf(request.text("certificateDigest")));
            parameters.bLevel().setSigningDate(new Date(request.number("signedAt")));
            parameters.setSignKeyInfo(request.flag("signKeyInfo"));
            parameters.setPrettyPrint(request.flag("prettyPrint"));
            String canonical = request.text("canonical");
            parameters.setSignedInfoCanonicalizationMethod(canonical);
            parameters.setSignedPropertiesCanonicalizationMethod(canonical);
            if (!request.text("packaging").equals("ENVELOPED")) {
                parameters.setReferences(null);
                parameters.setSignaturePackaging(SignaturePackaging.valueOf(request.text("packaging")));
                parameters.setEmbedXML(parameters.getSignaturePackaging() == SignaturePackaging.ENVELOPING);
            } else {
                DSSReference list = parameters.getReferences().get(0);
                list.setUri(request.text("reference"));
                list.setTransforms(transforms(request.texts("transforms"), canonical));
            }
            return sign(token, key, request.document(), parameters, new XAdESService(new CommonCertificateVerifier()));
        }
    }

    private static List<DSSTransform> transforms(List<String> names, String canonical) throws Exception {
        List<DSSTransform> transforms = new ArrayList<>();
        for (String name : names) {
            transforms.add(switch (name) {
                case "enveloped" -> new EnvelopedSignatureTransform();
                case "canonical" -> new CanonicalizationTransform(canonical);
                case "xpath" -> new XPathTransform("not(ancestor-or-self::*[local-name()='TrustServiceProvider'])");
                case "xpath-filter-2" -> new XPath2FilterEnvelopedSignatureTransform();
                case "xslt" -> new XsltTransform(identity());
                case "base64" -> new Base64Transform();
                default -> throw new IllegalArgumentException("unknown transform " + name);
            });
        }
        return transforms;
    }

    private static org.w3c.dom.Document identity() throws Exception {
        String sheet = "<xsl:stylesheet xmlns:xsl='http://www.w3.org/1999/XSL/Transform' version='1.0'>"
            + "<xsl:template match='@*|node()'><xsl:copy><xsl:apply-templates select='@*|node()'/></xsl:copy></xsl:template>"
            + "</xsl:stylesheet>";
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(sheet.getBytes(StandardCharsets.UTF_8)));
    }

    private static Object signJson(Request request) throws Exception {
        try (Pkcs12SignatureToken token = token(request)) {
            DSSPrivateKeyEntry key = token.getKeys().get(0);
            JAdESSignatureParameters parameters = new JAdESSignatureParameters();
            parameters.setSignatureLevel(SignatureLevel.JAdES_BASELINE_B);
            parameters.setSignaturePackaging(SignaturePackaging.valueOf(request.text("packaging")));
            if (parameters.getSignaturePackaging() == SignaturePackaging.DETACHED) {
                parameters.setSigDMechanism(SigDMechanism.OBJECT_ID_BY_URI_HASH);
            }
            parameters.setJwsSerializationType(JWSSerializationType.valueOf(request.text("serialization")));
            parameters.setSigningCertificate(key.getCertificate());
            parameters.setCertificateChain(key.getCertificateChain());
            parameters.setDigestAlgorithm(DigestAlgorithm.valueOf(request.text("digest")));
            if (request.flag("pss")) parameters.setEncryptionAlgorithm(EncryptionAlgorithm.RSASSA_PSS);
            parameters.bLevel().setSigningDate(new Date(request.number("signedAt")));
            return sign(token, key, request.document(), parameters, new JAdESService(new CommonCertificateVerifier()));
        }
    }

    private static <P extends AbstractSignatureParameters<?>> String sign(
        Pkcs12SignatureToken token, DSSPrivateKeyEntry key, DSSDocument document, P parameters,
        DocumentSignatureService<P, ?> service) throws Exception {
        ToBeSigned data = service.getDataToSign(document, parameters);
        SignatureValue value = token.sign(data, parameters.getSignatureAlgorithm(), key);
        DSSDocument signed = service.signDocument(document, parameters, value);
        return Base64.getEncoder().encodeToString(DSSUtils.toByteArray(signed));
    }

    /** Validates a list by the library's own policy for trusted lists, as it does for the lists of member states. */
    private static Object validateXml(Request request) {
        CommonCertificateSource signers = new CommonCertificateSource();
        for (String signer : request.texts("signers")) signers.addCertificate(certificate(signer));
        var result = new TLValidatorTask(request.document(), signers).get();
        return Map.of("indication", String.valueOf(result.getIndication()), "sub", String.valueOf(result.getSubIndication()));
    }

    private static Object validateJson(Request request) throws Exception {
        CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
        for (String signer : request.texts("signers")) trusted.addCertificate(certificate(signer));
        CommonCertificateVerifier verifier = new CommonCertificateVerifier(true);
        verifier.setTrustedCertSources(trusted);
        SignedDocumentValidator validator = SignedDocumentValidator.fromDocument(request.document());
        validator.setCertificateVerifier(verifier);
        Reports reports = validator.validateDocument();
        SimpleReport report = reports.getSimpleReport();
        String id = report.getFirstSignatureId();
        return Map.of(
            "validator", validator.getClass().getSimpleName(),
            "signatures", report.getSignaturesCount(),
            "indication", String.valueOf(report.getIndication(id)),
            "sub", String.valueOf(report.getSubIndication(id)),
            "format", String.valueOf(report.getSignatureFormat(id)),
            "errors", report.getAdESValidationErrors(id).stream().map(Message::getValue).toList(),
            "warnings", report.getAdESValidationWarnings(id).stream().map(Message::getValue).toList());
    }

    private static CertificateToken certificate(String base64) {
        return DSSUtils.loadCertificateFromBase64EncodedString(base64);
    }

    /** A key store in memory with the key and the chain of the request. */
    private static Pkcs12SignatureToken token(Request request) throws Exception {
        PrivateKey key = KeyFactory.getInstance(request.text("keyType"))
            .generatePrivate(new PKCS8EncodedKeySpec(Base64.getDecoder().decode(request.text("key"))));
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<Certificate> chain = new ArrayList<>();
        for (String certificate : request.texts("chain")) {
            chain.add(factory.generateCertificate(new ByteArrayInputStream(Base64.getDecoder().decode(certificate))));
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("signer", key, PASSWORD.toCharArray(), chain.toArray(new Certificate[0]));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        store.store(bytes, PASSWORD.toCharArray());
        return new Pkcs12SignatureToken(bytes.toByteArray(), new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
    }

    private record Request(Map<String, Object> members) {
        String text(String name) {
            return (String) members.get(name);
        }

        @SuppressWarnings("unchecked")
        List<String> texts(String name) {
            return (List<String>) members.get(name);
        }

        boolean flag(String name) {
            return Boolean.TRUE.equals(members.get(name));
        }

        long number(String name) {
            return ((Number) members.get(name)).longValue();
        }

        DSSDocument document() {
            return new InMemoryDocument(Base64.getDecoder().decode(text("document")), text("name"));
        }
    }
}
