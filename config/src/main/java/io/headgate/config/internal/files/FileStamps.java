package io.headgate.config.internal.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of files, by which a change is noticed without reading them: which file is at a path, its size, and when it was modified.
 * Links are followed.
 */
public record FileStamps(List<Stamp> files) {

    /** The attributes of one file; all but the path are missing if there is none. */
    record Stamp(
            Path path,
            @Nullable Object key,
            long size,
            @Nullable Instant modified) {}

    static FileStamps of(List<Path> paths) {
        return new FileStamps(paths.stream().map(FileStamps::stamp).toList());
    }

    private static Stamp stamp(Path path) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            return new Stamp(
                    path,
                    found.fileKey(),
                    found.size(),
                    found.lastModifiedTime().toInstant());
        } catch (IOException e) {
            return new Stamp(path, null, 0, null);
        }
    }

    /** Whether no file was modified for this time before an instant. A modification in the future is one of another clock, and counts. */
    boolean isOlderThan(Duration age, Instant now) {
        Instant latest = now.minus(age);
        return files.stream()
                .allMatch(file -> file.modified() == null || file.modified().isBefore(latest));
    }
}
