package io.headgate.server.cli;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version of this program, from its jar. */
public final class Version implements IVersionProvider {

    public static String text() {
        return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "headgate " + text() + " (Java " + Runtime.version().feature() + ")"
        };
    }
}
