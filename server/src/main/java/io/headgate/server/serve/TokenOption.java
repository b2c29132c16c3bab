package io.headgate.server.serve;

import io.headgate.server.cli.StartException;
import io.headgate.server.http.BearerToken;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads a token of {@code serve}, for refunds or for operators, from an option, a file or a variable. */
final class TokenOption {

    private TokenOption() {}

    /**
     * Reads a token.
     *
     * @param name the name of its option, for example {@code --refund-token}; the option for its file is then
     *     {@code --refund-token-file}, and its variable {@code HEADGATE_REFUND_TOKEN}
     * @param given the value of the option
     * @param file the value of the option for its file
     * @param environment is read if neither option is given; a blank variable counts as none
     * @throws StartException if the file cannot be read, the token is not {@link BearerToken#EXPECTED}, or both options are given
     */
    static Optional<BearerToken> find(
            String name, Optional<String> given, Optional<Path> file, Map<String, String> environment) {
        if (given.isPresent() && file.isPresent()) {
            throw StartException.wrongInput("give either " + name + " or " + name + "-file");
        }
        if (given.isPresent()) {
            return Optional.of(token(given.get(), name));
        }
        if (file.isPresent()) {
            String which = name + "-file " + Quoted.of(file.get().toString());
            return Optional.of(token(read(file.get(), which), which));
        }
        String variable = "HEADGATE" + name.substring(1).replace('-', '_').toUpperCase(Locale.ROOT);
        return Optional.ofNullable(environment.get(variable))
                .filter(text -> !text.isBlank())
                .map(text -> token(text, "variable " + variable));
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
