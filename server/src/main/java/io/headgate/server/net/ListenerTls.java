package io.headgate.server.net;

import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.common.TlsProvider;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerTlsConfig;
import io.headgate.server.operators.WatchedFiles;
import io.netty.handler.ssl.ClientAuth;
import java.io.ByteArrayInputStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The TLS of a listener: its certificate, and the authorities that sign certificates of its clients. New connections use a new version of
 * the files within seconds; an invalid one is logged, and the last valid one stays in use.
 */
public final class ListenerTls implements TlsProvider {

    private final boolean clientCertificates;
    private final WatchedFiles files;
    private volatile Version current = new Version(Optional.empty(), List.of());

    private record Version(Optional<TlsKeyPair> keyPair, List<X509Certificate> authorities) {}

    private ListenerTls(String what, Path certificate, Path key, Optional<Path> authorities) {
        this.clientCertificates = authorities.isPresent();
        List<Path> paths = new ArrayList<>(List.of(certificate, key));
        authorities.ifPresent(paths::add);
        this.files = WatchedFiles.open(what, paths, this::apply);
    }

    /**
     * Reads the files, and watches them.
     *
     * @param what names the files in the log, for example {@code TLS}
     * @param certificate a PEM file: the certificate, and then its intermediate ones
     * @param key a PEM file: the key of the certificate, PKCS 8 without a password
     * @param authorities a PEM file: the authorities that sign certificates of clients. If given, each client must have one
     * @throws IllegalArgumentException if a file cannot be read or is invalid, or the key is not that of the certificate
     */
    public static ListenerTls open(String what, Path certificate, Path key, Optional<Path> authorities) {
        return new ListenerTls(what, certificate, key, authorities);
    }

    /** Makes the server listen on an address with TLS only. */
    public void addTo(ServerBuilder server, InetSocketAddress listen) {
        server.https(listen)
                .tlsProvider(
                        this,
                        ServerTlsConfig.builder()
                                .clientAuth(clientCertificates ? ClientAuth.REQUIRE : ClientAuth.NONE)
                                .build());
    }

    private String apply(List<byte[]> contents) {
        TlsKeyPair pair = keyPair(contents.get(0), contents.get(1));
        X509Certificate certificate = pair.certificateChain().get(0);
        if (!belongsTo(pair.privateKey(), certificate)) {
            throw new IllegalArgumentException("the key is not that of the certificate");
        }
        current = new Version(Optional.of(pair), clientCertificates ? certificates(contents.get(2)) : List.of());
        return "a certificate of " + certificate.getSubjectX500Principal().getName() + ", valid until "
                + certificate.getNotAfter().toInstant();
    }

    private static TlsKeyPair keyPair(byte[] certificate, byte[] key) {
        try {
            return TlsKeyPair.of(new ByteArrayInputStream(key), new ByteArrayInputStream(certificate));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "the certificate must be in PEM format, and its key in PKCS 8 without a password", e);
        }
    }

    private static List<X509Certificate> certificates(byte[] pem) {
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(pem))
                    .forEach(one -> found.add((X509Certificate) one));
        } catch (CertificateException e) {
            throw new IllegalArgumentException("the authorities of clients must be in PEM format", e);
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException("the file with the authorities of clients has no certificate");
        }
        return found;
    }

    private static boolean belongsTo(PrivateKey key, X509Certificate certificate) {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(certificate.getEncoded());
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(certificate.getEncoded());
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** The certificate and key, for all host names. */
    @Override
    public TlsKeyPair keyPair(String hostname) {
        return current.keyPair().orElseThrow();
    }

    @Override
    public List<X509Certificate> trustedCertificates(String hostname) {
        return current.authorities();
    }

    /** Stops watching the files. */
    @Override
    public void close() {
        files.close();
    }
}
