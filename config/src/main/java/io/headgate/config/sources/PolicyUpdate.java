package io.headgate.config.sources;

import java.util.List;
import java.util.Optional;

/**
 * A new version of the policies for a {@link PolicyStore}.
 *
 * @param texts 1 to 1000 texts with different names, of at most 16 MiB together
 * @param replaces the version that must be the current one, so that no change is lost; empty if there must be none
 * @param by who writes it: 1 to 128 characters without control characters
 * @param reason why: 1 to 1000 characters without control characters
 */
public record PolicyUpdate(List<PolicyDocument.Text> texts, Optional<String> replaces, String by, String reason) {

    /** Copies the texts. */
    public PolicyUpdate {
        texts = List.copyOf(texts);
    }

    /**
     * What has become of an update.
     *
     * @param applied whether it was written; false if the current version is not the expected one
     * @param current the current version, which is the written one, if any; empty if there is none
     */
    public record Result(boolean applied, Optional<PolicyVersion> current) {}
}
