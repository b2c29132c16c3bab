package io.headgate.testkit.internal;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the Redis protocol, versions 2 and 3, one whole value at a time.
 *
 * <p>A string, a double or a big number is a {@code byte[]}, an integer a {@link Long}, a boolean a {@link Boolean}, an error a
 * {@link Failure}, a push message a {@link Push}, and nil is null. Arrays, sets and maps are lists; a map has its keys and values in
 * turn. Attributes are skipped.
 */
public final class RespReader {

    /** An error that Redis replied. */
    public record Failure(String message) {}

    /** A push message: Redis sends it without a command. */
    public record Push(List<@Nullable Object> parts) {}

    private final InputStream in;

    public RespReader(InputStream in) {
        this.in = in;
    }

    /**
     * Reads the next value.
     *
     * @throws EOFException when the stream ends before the end of the value
     */
    @Nullable
    public Object read() throws IOException {
        return readValue(readByte());
    }

    /**
     * Reads the parts of the next command: an array of strings, or a line of words (an inline command).
     *
     * @throws EOFException when the stream ends before the end of the command
     */
    public List<byte[]> readCommand() throws IOException {
        int first = readByte();
        List<byte[]> parts = new ArrayList<>();
        if (first == '*') {
            for (Object part : readList(readLength())) {
                if (!(part instanceof byte[] bytes)) {
                    throw new IOException("a command is an array of strings, it had " + part);
                }
                parts.add(bytes);
            }
        } else {
            String line = (char) first + readLine();
            for (String word : line.trim().split("\\s+")) {
                parts.add(word.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return parts;
    }

    private @Nullable Object readValue(int type) throws IOException {
        switch (type) {
            case '+', ',', '(' -> {
                return readLine().getBytes(StandardCharsets.ISO_8859_1);
            }
            case '-' -> {
                return new Failure(readLine());
            }
            case ':' -> {
                return readNumber();
            }
            case '#' -> {
                return readLine().equals("t");
            }
            case '_' -> {
                readLine();
                return null;
            }
            case '$', '=', '!' -> {
                return readBulk(type);
            }
            case '*', '~' -> {
                int length = readLength();
                return length < 0 ? null : readList(length);
            }
            case '%' -> {
                return readList(2 * readLength());
            }
            case '>' -> {
                return new Push(readList(readLength()));
            }
            case '|' -> {
                readList(2 * readLength());
                return read();
            }
            default -> throw new IOException("not the Redis protocol: a value that begins with byte " + type);
        }
    }

    private @Nullable Object readBulk(int type) throws IOException {
        int length = readLength();
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("the stream ended inside a string of " + length + " bytes");
        }
        readLine();
        return type == '!' ? new Failure(new String(bytes, StandardCharsets.UTF_8)) : bytes;
    }

    private List<@Nullable Object> readList(int length) throws IOException {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            list.add(read());
        }
        return list;
    }

    private int readLength() throws IOException {
        return Math.toIntExact(readNumber());
    }

    private long readNumber() throws IOException {
        String line = readLine();
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException e) {
            throw new IOException("not the Redis protocol: \"" + line + "\" where a number should be", e);
        }
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = readByte(); b != '\n'; b = readByte()) {
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    private int readByte() throws IOException {
        int b = in.read();
        if (b < 0) {
            throw new EOFException("the stream ended");
        }
        return b;
    }
}
