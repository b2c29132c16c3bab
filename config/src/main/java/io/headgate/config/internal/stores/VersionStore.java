package io.headgate.config.internal.stores;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.config.internal.stores.VersionStorage.Commit;
import io.headgate.config.internal.stores.VersionStorage.Current;
import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import java.io.ByteArrayOutputStream;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads and writes versions, with one transaction for each write.
 *
 * <p>A write puts the texts under keys of its own, and then commits: if the current version is still the one at its start, a transaction
 * replaces it. Until then, and if it fails, the texts have no effect. The next write deletes texts without a version, but only those with its
 * own number or a smaller one: their writers started before it, and cannot commit any more.
 */
public final class VersionStore {

    /** The most versions that are kept. */
    public static final int MAX_VERSIONS = 100;

    /** The most bytes of the texts of all versions that are kept, unless the last two have more. */
    public static final long MAX_BYTES_OF_ALL = 64L << 20;

    /** The bytes to keep if only the last two versions are needed. */
    public static final long NO_HISTORY = 0;

    /** The most versions that one write drops, since stores bound the size of a transaction. The next write drops further ones. */
    static final int MAX_DROPPED = 50;

    private static final int LEAST_VERSIONS = 2;
    private static final int ATTEMPT_BYTES = 8;
    private static final int READ_ATTEMPTS = 3;

    private final VersionStorage storage;
    private final StoreKeys keys;
    private final long maxBytesOfAll;
    private final SecureRandom random = new SecureRandom();

    /** Reads and writes the versions under these keys, and keeps texts of up to this many bytes together. */
    public VersionStore(VersionStorage storage, StoreKeys keys, long maxBytesOfAll) {
        this.storage = storage;
        this.keys = keys;
        this.maxBytesOfAll = maxBytesOfAll;
    }

    /**
     * The result of a write.
     *
     * @param written false if the current version is not the expected one
     * @param current the current version, which is the written one, if any
     */
    public record Result(boolean written, Optional<StoredVersion> current) {}

    /**
     * Reads the value of a key as a version.
     *
     * @throws StoreFailure if it is none
     */
    public static StoredVersion decoded(String key, byte[] value) {
        return StoredVersion.decoded(new String(value, UTF_8))
                .orElseThrow(() -> StoreFailure.of("the key " + key + " holds something that Headgate did not store"));
    }

    /** Returns the current version; empty if there is none. */
    public Optional<StoredVersion> current() {
        return storage.current().version();
    }

    /** Returns the version with this number, if there is one, and it has this id. */
    Optional<StoredVersion> find(StoredVersion.Id wanted) {
        String key = keys.version(wanted.number());
        return storage.read(key)
                .map(value -> decoded(key, value))
                .filter(found -> wanted.whole().map(found.id()::equals).orElse(true));
    }

    /** Returns the last versions, the current one first; none if there is no current one. */
    public List<StoredVersion> history(int max) {
        return current().isEmpty() ? List.of() : storage.newest(max);
    }

    /**
     * Reads the current version with its texts; empty if there is none.
     *
     * @param known a document that is returned if it still is the current one
     */
    public Optional<PolicyDocument> read(Optional<PolicyDocument> known) {
        for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
            Optional<StoredVersion> current = current();
            Optional<String> id = current.map(StoredVersion::id);
            if (known.map(PolicyDocument::version).equals(id)) {
                return known;
            }
            Optional<PolicyDocument> document = current.flatMap(this::document);
            if (document.isPresent() || current.isEmpty()) {
                return document;
            }
        }
        throw StoreFailure.of("the versions change faster than they can be read");
    }

    /**
     * Reads the texts of a version; empty if others have replaced it so often meanwhile that it is no longer kept.
     *
     * @throws StoreFailure if the texts are missing or damaged, or the store does not reply
     */
    Optional<PolicyDocument> document(StoredVersion version) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int part = 0; part < version.parts(); part++) {
            String key = keys.part(version.number(), version.attempt(), part);
            Optional<byte[]> found = storage.read(key);
            if (found.isEmpty()) {
                if (find(new StoredVersion.Id(version.number(), Optional.of(version.id())))
                        .isPresent()) {
                    throw StoreFailure.of("the texts of version " + version.id() + " are missing: " + key);
                }
                return Optional.empty();
            }
            all.writeBytes(found.get());
        }
        List<PolicyDocument.Text> texts = TextParts.decode(all.toByteArray())
                .filter(read -> version.id().endsWith("-" + PolicyDocument.digest(read)))
                .orElseThrow(() -> StoreFailure.of("the texts of version " + version.id() + " are damaged"));
        return Optional.of(
                new PolicyDocument(version.id(), Optional.of(version.version().writtenAt()), texts));
    }

    /** Writes a version if the current one is the expected one. */
    public Result write(PolicyUpdate update) {
        Current before = storage.current();
        Optional<StoredVersion> replaced = before.version();
        if (!replaced.map(StoredVersion::id).equals(update.replaces())) {
            return new Result(false, replaced);
        }
        List<StoredVersion> history = storage.newest(MAX_VERSIONS);
        List<byte[]> parts = TextParts.encode(update.texts(), storage.partBytes());
        long number = history.stream().findFirst().map(StoredVersion::number).orElse(0L) + 1;
        String attempt = newAttempt();
        for (int i = 0; i < parts.size(); i++) {
            storage.write(keys.part(number, attempt, i), parts.get(i));
        }
        StoredVersion next = new StoredVersion(
                new PolicyVersion(
                        number + "-" + PolicyDocument.digest(update.texts()),
                        laterThan(history),
                        update.by(),
                        update.reason()),
                attempt,
                parts.size(),
                parts.stream().mapToLong(part -> part.length).sum());
        int keptBefore = keptBefore(next, history);
        Commit commit = commit(before, next, history.subList(keptBefore, history.size()));
        if (!commit.committed()) {
            // The client may have sent the transaction again, for example after its token had expired.
            boolean ours = commit.current()
                    .map(StoredVersion::attempt)
                    .filter(attempt::equals)
                    .isPresent();
            // Another process may have replaced the version before the client sent the transaction again.
            if (ours || isStored(number, attempt)) {
                return new Result(true, Optional.of(next));
            }
            delete(keys.texts(number, attempt));
            return new Result(false, commit.current());
        }
        List<StoredVersion> kept = new ArrayList<>(history.subList(0, keptBefore));
        kept.add(next);
        deleteOthers(kept, number);
        return new Result(true, Optional.of(next));
    }

    /**
     * Removes the current version if it is the expected one, with all texts; returns whether it was. Keeps its number, so that numbers
     * increase.
     */
    boolean remove(String expected) {
        Current before = storage.current();
        Optional<StoredVersion> removed =
                before.version().filter(version -> version.id().equals(expected));
        // If the client has sent the transaction twice, the second one has found no version.
        if (removed.isEmpty()
                || !(storage.removeCurrent(before)
                        || storage.current().version().isEmpty())) {
            return false;
        }
        deleteOthers(List.of(), removed.get().number());
        return true;
    }

    private boolean isStored(long number, String attempt) {
        String key = keys.version(number);
        return storage.read(key)
                .map(value -> decoded(key, value).attempt())
                .filter(attempt::equals)
                .isPresent();
    }

    private String newAttempt() {
        byte[] attempt = new byte[ATTEMPT_BYTES];
        random.nextBytes(attempt);
        return HexFormat.of().formatHex(attempt);
    }

    /** The time now, or after the last version if the clock of its writer is ahead. */
    private static Instant laterThan(List<StoredVersion> history) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        return history.stream()
                .findFirst()
                .map(last -> last.version().writtenAt().plus(1, ChronoUnit.MICROS))
                .filter(now::isBefore)
                .orElse(now);
    }

    /** How many of the previous versions to keep. */
    private int keptBefore(StoredVersion next, List<StoredVersion> history) {
        int kept = 0;
        long bytes = next.bytes();
        for (StoredVersion version : history) {
            bytes += version.bytes();
            boolean needed = kept + 1 < LEAST_VERSIONS;
            if (kept + 1 == MAX_VERSIONS || (!needed && bytes > maxBytesOfAll)) {
                break;
            }
            kept++;
        }
        return Math.max(kept, history.size() - MAX_DROPPED);
    }

    private Commit commit(Current before, StoredVersion next, List<StoredVersion> dropped) {
        try {
            return storage.commit(before, next, dropped);
        } catch (StoreFailure e) {
            throw e.kind() == StoreFailure.Kind.NO_REPLY
                    ? e.withEffect("; version " + next.id() + " may have been written, see headgate policy history")
                    : e;
        }
    }

    /** Deletes texts up to a number that no kept version has. If this fails, the next write does it. */
    private void deleteOthers(List<StoredVersion> kept, long number) {
        Set<String> used = kept.stream()
                .map(version -> keys.texts(version.number(), version.attempt()))
                .collect(Collectors.toSet());
        String end = keys.texts(number + 1, "");
        try {
            storage.keys(keys.texts()).stream()
                    .map(key -> key.substring(0, key.lastIndexOf('/') + 1))
                    .distinct()
                    .filter(prefix -> prefix.compareTo(end) < 0 && !used.contains(prefix))
                    .forEach(this::delete);
        } catch (StoreFailure e) {
            return; // the version is written
        }
    }

    private void delete(String prefix) {
        try {
            storage.deleteAll(prefix);
        } catch (StoreFailure e) {
            return; // the next write deletes them
        }
    }
}
