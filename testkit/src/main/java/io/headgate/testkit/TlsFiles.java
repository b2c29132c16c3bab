package io.headgate.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Certificates for tests, which the JDK's keytool creates: a certificate authority (CA), and the certificates that it has signed.
 *
 * <pre>{@code
 * TlsFiles files = TlsFiles.in(folder);
 * TlsFiles.Identity server = files.identity("server", "127.0.0.1");
 * TlsFiles.Identity client = files.identity("client", "client.test");
 * }</pre>
 *
 * <p>They are valid for two days. Their keys are in the folder, unprotected.
 */
public final class TlsFiles {

    /** The password of {@link #trustStore()}. */
    public static final String PASSWORD = "changeit";

    private static final String AUTHORITY = "authority";

    private final Path folder;

    /**
     * A certificate with its private key.
     *
     * @param certificate a PEM file
     * @param key a PEM file, PKCS 8 without a password
     */
    public record Identity(Path certificate, Path key) {}

    private TlsFiles(Path folder) {
        this.folder = folder;
    }

    /** Creates an authority in an existing folder that has none yet. */
    public static TlsFiles in(Path folder) {
        TlsFiles files = new TlsFiles(folder);
        files.makeKey(AUTHORITY, "Headgate test authority", "-ext", "bc:c"); // bc:c marks a CA
        files.export(AUTHORITY);
        files.exportTrust();
        return files;
    }

    /** The certificate of the authority, a PEM file. A client that trusts it trusts all certificates that it has signed. */
    public Path authority() {
        return folder.resolve(AUTHORITY + ".pem");
    }

    /** The certificate of the authority as a trust store of the JDK: a PKCS 12 file with the password {@value #PASSWORD}. */
    public Path trustStore() {
        return folder.resolve("trust.p12");
    }

    /**
     * Creates a certificate that the authority has signed.
     *
     * @param name the name of its files, {@code name.pem} and {@code name-key.pem}; each certificate needs another one
     * @param host the host name or IPv4 address that the certificate is for
     */
    public Identity identity(String name, String host) {
        String subject = (host.matches("[0-9.]+") ? "ip:" : "dns:") + host;
        makeKey(name, host, "-ext", "san=" + subject, "-signer", AUTHORITY);
        export(name);
        return new Identity(folder.resolve(name + ".pem"), folder.resolve(name + "-key.pem"));
    }

    private void export(String name) {
        withKeyStore(keys -> {
            Key key = keys.getKey(name, PASSWORD.toCharArray());
            write(folder.resolve(name + "-key.pem"), "PRIVATE KEY", key.getEncoded());
            write(
                    folder.resolve(name + ".pem"),
                    "CERTIFICATE",
                    keys.getCertificate(name).getEncoded());
        });
    }

    private void exportTrust() {
        withKeyStore(keys -> {
            KeyStore trust = KeyStore.getInstance("PKCS12");
            trust.load(null, null);
            trust.setCertificateEntry(AUTHORITY, keys.getCertificate(AUTHORITY));
            try (OutputStream out = Files.newOutputStream(trustStore())) {
                trust.store(out, PASSWORD.toCharArray());
            }
        });
    }

    private interface KeyStoreTask {
        void run(KeyStore keys) throws IOException, GeneralSecurityException;
    }

    private void withKeyStore(KeyStoreTask task) {
        try (InputStream in = Files.newInputStream(store())) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            task.run(keys);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("cannot read what keytool has made", e);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what keytool has made", e);
        }
    }

    private Path store() {
        return folder.resolve("all.p12");
    }

    private static void write(Path file, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    private void makeKey(String name, String commonName, String... more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1", // keytool runs for a short time only
                "-genkeypair",
                "-keyalg",
                "EC",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store().toString(),
                "-alias",
                name,
                "-dname",
                "CN=" + commonName));
        command.addAll(List.of(more));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.onExit().join().exitValue() != 0) {
                throw new IllegalStateException("keytool could not make " + name + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run keytool, which is part of a JDK", e);
        }
    }
}
