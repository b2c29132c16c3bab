package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import io.headgate.config.internal.files.RemoteText;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A new version of the policies for a {@link PolicyStore}.
 *
 * @param texts 1 to 1000 texts, of at most 16 MiB together; their names differ, and have 1 to 255 characters without control characters.
 *     They have no variables and no includes, which would mean something else on each machine
 * @param replaces the version that must be the current one, so that no change is lost; empty if there must be none. Of an update in
 *     shadow, the version that must be the shadow version
 * @param by who writes it: 1 to 128 characters without control characters
 * @param reason why: 1 to 1000 characters without control characters
 * @param isShadow whether it replaces the shadow version instead of the current one
 */
public record PolicyUpdate(
        List<PolicyDocument.Text> texts, Optional<String> replaces, String by, String reason, boolean isShadow) {

    private static final int MAX_TEXTS = 1000;
    private static final int MAX_NAME = 255;
    private static final int MAX_BY = 128;
    private static final int MAX_REASON = 1000;
    private static final long MAX_BYTES = 16L << 20;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one of them is not allowed
     */
    public PolicyUpdate {
        texts = List.copyOf(texts);
        if (texts.isEmpty() || texts.size() > MAX_TEXTS) {
            throw new IllegalArgumentException("texts must have 1 to " + MAX_TEXTS + " entries, has " + texts.size());
        }
        Set<String> names = new HashSet<>();
        long bytes = 0;
        for (PolicyDocument.Text text : texts) {
            requireLine("name of a text", text.name(), MAX_NAME);
            if (!names.add(text.name())) {
                throw new IllegalArgumentException("texts must have different names, but two are named " + text.name());
            }
            requireNoReferences(text);
            bytes += text.yaml().getBytes(StandardCharsets.UTF_8).length;
        }
        requireLine("by", by, MAX_BY);
        requireLine("reason", reason, MAX_REASON);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "texts must have at most " + MAX_BYTES + " bytes in UTF-8 together, have " + bytes);
        }
    }

    /** Creates an update of the current version. */
    public PolicyUpdate(List<PolicyDocument.Text> texts, Optional<String> replaces, String by, String reason) {
        this(texts, replaces, by, reason, false);
    }

    /** Returns the same update of the shadow version. */
    public PolicyUpdate inShadow() {
        return new PolicyUpdate(texts, replaces, by, reason, true);
    }

    private static void requireNoReferences(PolicyDocument.Text text) {
        text.includedBy().ifPresent(file -> {
            throw new IllegalArgumentException("texts must not include each other, but " + text.name()
                    + " is included by " + file + "; remove the include, and write both as texts of their own");
        });
        try {
            RemoteText.requireNoReferences(text.yaml(), text.name());
        } catch (ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static void requireLine(String what, String text, int max) {
        if (text.isBlank() || text.length() > max || text.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(what + " must have 1 to " + max + " characters, be more than blanks, "
                    + "and have no control characters such as line breaks; has " + text.length());
        }
    }

    /**
     * What has become of an update.
     *
     * @param applied whether it was written; false if the current version is not the expected one
     * @param current the current version, which is the written one, if any; empty if there is none. Of an update in shadow, the shadow
     *     version
     */
    public record Result(boolean applied, Optional<PolicyVersion> current) {}
}
