package io.headgate.server.audit;

import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The operator at a command line: the user of the operating system that runs this process, and the name of the host. */
public final class LocalOperator {

    private static final Path LINUX_HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._@-]+");

    private LocalOperator() {}

    /** {@code user@host}. Unusual names are quoted, with control characters escaped. */
    public static String name() {
        return quotedIfUnusual(user() + "@" + host());
    }

    /** The name, quoted if it contains other characters than letters, digits and {@code . _ @ -}. */
    static String quotedIfUnusual(String name) {
        return PLAIN.matcher(name).matches() ? name : Quoted.of(name);
    }

    /** The owner of this process. The property {@code user.name} is not reliable, because the command line of the JVM can set it. */
    static String user() {
        return ProcessHandle.current().info().user().orElseGet(() -> System.getProperty("user.name", "unknown"));
    }

    /** The name of this host. */
    static String host() {
        try {
            return Files.readString(LINUX_HOST_NAME, StandardCharsets.UTF_8).strip();
        } catch (IOException notLinux) {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                return "unknown";
            }
        }
    }
}
