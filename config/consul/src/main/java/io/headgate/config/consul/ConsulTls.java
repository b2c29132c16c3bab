package io.headgate.config.consul;

import io.headgate.config.internal.stores.ClientCertificate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * The certificates of connections with TLS, from files in PEM format.
 *
 * @param context for connections
 * @param trusted the trust of the context
 */
record ConsulTls(SSLContext context, X509TrustManager trusted) {

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA");
    private static final char[] IN_MEMORY = {};

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if a file is invalid
     */
    static ConsulTls of(Optional<Path> authorities, Optional<ClientCertificate> certificate) {
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            // Without a store, the factory takes the authorities of the JVM.
            trust.init(authorities.isPresent() ? authorities(authorities.get()) : null);
            KeyManager[] keys = certificate.isPresent() ? keys(certificate.get()) : null;
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust.getTrustManagers(), null);
            return new ConsulTls(context, x509(trust.getTrustManagers()));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("the certificates for Consul are invalid: " + e.getMessage(), e);
        }
    }

    private static X509TrustManager x509(TrustManager[] managers) throws GeneralSecurityException {
        return Stream.of(managers)
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .findFirst()
                .orElseThrow(() -> new GeneralSecurityException("the JVM has no trust for X.509"));
    }

    private static KeyStore authorities(Path pem) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        int number = 0;
        for (Certificate authority : certificates(pem)) {
            store.setCertificateEntry("authority-" + number++, authority);
        }
        return store;
    }

    private static KeyManager[] keys(ClientCertificate files) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        Certificate[] chain = certificates(files.certificate()).toArray(Certificate[]::new);
        store.setKeyEntry("client", key(files.key()), IN_MEMORY, chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, IN_MEMORY);
        return keys.getKeyManagers();
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, IN_MEMORY);
        return store;
    }

    private static List<? extends Certificate> certificates(Path pem) throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(pem)) {
            List<? extends Certificate> read =
                    List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
            if (read.isEmpty()) {
                throw new GeneralSecurityException(pem + " has no certificate");
            }
            return read;
        }
    }

    private static PrivateKey key(Path pem) throws GeneralSecurityException, IOException {
        Matcher key = KEY.matcher(Files.readString(pem));
        if (!key.find()) {
            throw new GeneralSecurityException(pem + " has no private key: PKCS 8, without a password");
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key.group(1)));
        for (String algorithm : ALGORITHMS) {
            Optional<PrivateKey> decoded = decoded(algorithm, encoded);
            if (decoded.isPresent()) {
                return decoded.get();
            }
        }
        throw new GeneralSecurityException(pem + " has a private key of an unknown algorithm");
    }

    /** Decodes a key; empty if it is one of another algorithm. */
    private static Optional<PrivateKey> decoded(String algorithm, PKCS8EncodedKeySpec encoded)
            throws GeneralSecurityException {
        try {
            return Optional.of(KeyFactory.getInstance(algorithm).generatePrivate(encoded));
        } catch (InvalidKeySpecException e) {
            return Optional.empty();
        }
    }
}
