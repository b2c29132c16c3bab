package io.headgate.server.http;

import com.linecorp.armeria.server.ServiceRequestContext;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** The certificate of a client, which the TLS handshake has verified. */
final class ClientCertificate {

    /** In place of the value of a part of a subject that has several, of which one is a CN. It is not a name. */
    private static final Object SEVERAL = new Object();

    private ClientCertificate() {}

    /** Returns the common name (CN) of its subject; empty without TLS, a certificate, or exactly one CN. */
    static Optional<String> commonName(ServiceRequestContext ctx) {
        @Nullable SSLSession session = ctx.sslSession();
        if (session == null) {
            return Optional.empty();
        }
        try {
            return session.getPeerCertificates()[0] instanceof X509Certificate certificate
                    ? commonName(certificate.getSubjectX500Principal().getName())
                    : Optional.empty();
        } catch (SSLPeerUnverifiedException noCertificate) {
            return Optional.empty();
        }
    }

    /** Returns the common name in a distinguished name of RFC 2253. */
    static Optional<String> commonName(String subject) {
        try {
            var names = new LdapName(subject)
                    .getRdns().stream()
                            .filter(rdn -> rdn.toAttributes().get("CN") != null)
                            .map(rdn -> rdn.size() == 1 ? rdn.getValue() : SEVERAL)
                            .toList();
            return names.size() == 1 && names.get(0) instanceof String name ? Optional.of(name) : Optional.empty();
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }
}
