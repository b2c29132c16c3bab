package io.headgate.config.internal.files;

import java.util.Optional;

/**
 * A file of policies as it was written.
 *
 * @param name the name with which its problems begin, which is its path
 * @param includedBy the name of the file that includes it; empty if none does
 */
public record LocalFile(String name, String yaml, Optional<String> includedBy) {}
