package io.headgate.server.operators;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A file of operators. A new version applies within seconds; an invalid one is logged, and the last valid one stays in force. */
public final class OperatorsFile implements AutoCloseable {

    private final WatchedFiles watched;
    private volatile Operators current = Operators.NONE;

    private OperatorsFile(Path file) {
        watched = WatchedFiles.open("operators", List.of(file), this::apply);
    }

    /**
     * Reads the file, and watches it.
     *
     * @throws IllegalArgumentException if it cannot be read or is invalid; the message states why
     */
    public static OperatorsFile open(Path file) {
        return new OperatorsFile(file);
    }

    private String apply(List<byte[]> contents) {
        current = Operators.parse(text(contents.get(0)));
        return "operators: " + current.size();
    }

    private static String text(byte[] content) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(content))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("is not UTF-8", e);
        }
    }

    /** The operators of the last valid version. */
    public Operators current() {
        return current;
    }

    /** Stops watching the file. */
    @Override
    public void close() {
        watched.close();
    }
}
