package io.headgate.config.internal.stores;

import java.nio.file.Path;

/**
 * The files of a client certificate, in PEM format.
 *
 * @param certificate the certificate and its intermediate certificates
 * @param key its private key: PKCS 8, without a password
 */
public record ClientCertificate(Path certificate, Path key) {

    /**
     * Returns the certificate if both files can be read.
     *
     * @throws IllegalArgumentException otherwise
     */
    public static ClientCertificate readable(Path certificate, Path key) {
        return new ClientCertificate(
                StoreSettings.readable("clientCertificate", certificate),
                StoreSettings.readable("key of clientCertificate", key));
    }
}
