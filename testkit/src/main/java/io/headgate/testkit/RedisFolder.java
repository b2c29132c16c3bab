package io.headgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * The temporary folder of one server, such as a Redis. This JVM locks a file in it, and the system releases the lock when this JVM ends. If the file is
 * not locked, the folder has no owner, and the next {@link #create} deletes it.
 */
final class RedisFolder {

    private static final String PREFIX = "headgate-redis-";

    /**
     * The prefix of folders of this JVM, which it never checks for a lock: closing any channel on a file that this JVM has locked would
     * release the lock.
     */
    private static final String OWN_PREFIX = PREFIX + ProcessHandle.current().pid() + "-";

    private static final String LOCK = "owner.lock";

    private final Path path;
    private final FileChannel lock;

    private RedisFolder(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Creates a folder among the temporary files, and deletes the folders there whose JVMs ended without deleting them. */
    static RedisFolder create() {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        deleteAbandoned(parent);
        try {
            while (true) {
                Path path = Files.createTempDirectory(parent, OWN_PREFIX);
                FileChannel lock =
                        FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                lock.lock();
                // Another JVM may have locked the file first, and deletes the folder while it holds the lock.
                if (Files.exists(path.resolve(LOCK))) {
                    return new RedisFolder(path, lock);
                }
                lock.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot make a folder for the data of a Redis", e);
        }
    }

    Path path() {
        return path;
    }

    /** Deletes it, and all that is in it. */
    void delete() {
        try (lock) {
            delete(path);
        } catch (IOException e) {
            throw new IllegalStateException("cannot delete " + path, e);
        }
    }

    private static void deleteAbandoned(Path parent) {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path folder : folders) {
                if (!folder.getFileName().toString().startsWith(OWN_PREFIX)) {
                    deleteIfAbandoned(folder);
                }
            }
        } catch (IOException e) {
            return; // creating a folder in it then fails with a clearer message
        }
    }

    /** Deletes a folder if no JVM holds its lock. A folder without a lock file is just being created, or has another origin. */
    private static void deleteIfAbandoned(Path folder) {
        try (FileChannel channel = FileChannel.open(folder.resolve(LOCK), StandardOpenOption.WRITE);
                FileLock held = channel.tryLock()) {
            if (held != null) {
                delete(folder);
            }
        } catch (IOException | UncheckedIOException e) {
            return; // it has no lock file, belongs to another user, or another JVM is deleting it
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> content = Files.walk(folder)) {
            for (Path path : content.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException e) {
            return; // another JVM has deleted it
        }
    }
}
