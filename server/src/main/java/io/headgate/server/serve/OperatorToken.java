package io.headgate.server.serve;

import io.headgate.server.cli.StartException;
import io.headgate.server.http.BearerToken;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Finds the token of operators where it may be told: in a file or a variable, but in no argument, which others can see. */
final class OperatorToken {

    static final String VARIABLE = "HEADGATE_OPERATOR_TOKEN";

    private OperatorToken() {}

    /**
     * Reads it.
     *
     * @param file where it is; the variable is looked at where there is none
     * @throws StartException when the file can't be read, or there is no token in it
     */
    static Optional<BearerToken> find(Optional<Path> file, Map<String, String> environment) {
        if (file.isPresent()) {
            String which = "--operator-token-file " + Quoted.of(file.get().toString());
            return Optional.of(token(read(file.get(), which), which));
        }
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(text -> !text.isBlank())
                .map(text -> token(text, "variable " + VARIABLE));
    }

    private static String read(Path file, String which) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        } catch (NoSuchFileException e) {
            throw StartException.wrongInput(which + ": there is no such file");
        } catch (IOException e) {
            throw StartException.wrongInput(which + " can't be read: " + e.getMessage());
        }
    }

    private static BearerToken token(String text, String which) {
        try {
            return new BearerToken(text);
        } catch (IllegalArgumentException e) {
            throw StartException.wrongInput(which + ": " + e.getMessage());
        }
    }
}
