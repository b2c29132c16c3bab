package io.headgate.server.audit;

import io.headgate.redis.audit.AuditRecord;
import io.headgate.server.cli.StartException;
import io.headgate.server.text.Json;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file to which records of the audit log are appended, each as a JSON object in a line of its own. Thread-safe. */
public final class AuditFile implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(AuditFile.class);

    private final Path path;
    private FileChannel file;

    /** Identifies the open file, if it is a regular one in a file system with such keys. */
    private Optional<Object> key;

    private boolean closed;

    private AuditFile(Path path) throws IOException {
        this.path = path;
        this.file = channel(path);
        this.key = key(path);
    }

    private static FileChannel channel(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    private static Optional<Object> key(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return attributes.isRegularFile() ? Optional.ofNullable(attributes.fileKey()) : Optional.empty();
    }

    /**
     * Opens a file, which is created if it does not exist.
     *
     * @param option the name of the option for the file, for errors
     * @throws StartException if the file cannot be opened for writing
     */
    static AuditFile open(Path path, String option) {
        try {
            return new AuditFile(path);
        } catch (IOException | UnsupportedOperationException e) {
            throw StartException.wrongInput(option + " " + Quoted.of(path.toString())
                    + " can't be opened for appending: " + reason(e) + ". Nothing was changed");
        }
    }

    /** Appends a record. Writes in one call if the file system accepts it, so that lines of several processes do not mix. */
    synchronized void append(AuditRecord record) throws IOException {
        reopenIfReplaced();
        byte[] line = Json.line(AuditJson.of(Instant.now(), record));
        ByteBuffer bytes = ByteBuffer.allocate(line.length + 1);
        if (endsWithinLine()) {
            bytes.put((byte) '\n');
        }
        bytes.put(line).flip();
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    /** Opens the file again if another program has renamed, deleted or replaced it, for example to rotate it. */
    private void reopenIfReplaced() throws IOException {
        if (closed || key.isEmpty() || key.equals(keyOrNone())) {
            return;
        }
        FileChannel next = channel(path);
        file.close();
        file = next;
        key = key(path);
        log.warn("the audit log {} was moved, deleted or replaced, and is open again", this);
    }

    private Optional<Object> keyOrNone() throws IOException {
        try {
            return key(path);
        } catch (NoSuchFileException deleted) {
            return Optional.empty();
        }
    }

    /** Returns whether the file ends within a line, for example because the disk was full; false if the file cannot be read. */
    private boolean endsWithinLine() {
        try {
            if (!Files.isRegularFile(path)) {
                return false;
            }
            try (SeekableByteChannel read = Files.newByteChannel(path)) {
                ByteBuffer last = ByteBuffer.allocate(1);
                return read.size() > 0 && read.position(read.size() - 1).read(last) == 1 && last.get(0) != '\n';
            }
        } catch (IOException unreadable) {
            return false;
        }
    }

    static String reason(Exception e) {
        if (e instanceof NoSuchFileException) {
            return "its folder does not exist";
        } else if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        // Messages of other exceptions begin with the path.
        String reason = e instanceof FileSystemException of ? of.getReason() : e.getMessage();
        return Quoted.inOneLine(reason == null ? e.getClass().getSimpleName() : reason);
    }

    /** The path in quotes, for messages. */
    @Override
    public String toString() {
        return Quoted.of(path.toString());
    }

    /** Whether the file is closed. */
    synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Closes the file.
     *
     * @throws IOException if the system reports only now that a line could not be written
     */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        file.close();
    }
}
