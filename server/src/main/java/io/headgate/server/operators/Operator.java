package io.headgate.server.operators;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * An operator over HTTP.
 *
 * @param name the name in the file of operators; empty for the operator token, which any number of persons may share
 */
public record Operator(Optional<String> name, Role role) {

    /** The valid form of a name, for errors. */
    static final String EXPECTED = "1 to 64 letters, digits and the characters . _ @ -";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,64}");

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** The operator at a client's address, for the log: {@code ada@192.0.2.7}, or only the address. */
    public String at(String address) {
        return name.map(known -> known + "@" + address).orElse(address);
    }
}
