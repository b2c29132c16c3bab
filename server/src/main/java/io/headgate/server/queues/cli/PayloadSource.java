package io.headgate.server.queues.cli;

import io.headgate.queues.QueueSettings;
import io.headgate.server.cli.StartException;
import io.headgate.server.queues.PayloadText;
import io.headgate.server.text.Quoted;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The source of payloads: the command line, a file, or standard input. A payload that is longer than a queue allows is an error, and is
 * not read to its end.
 *
 * @param text the payload; {@code -} means standard input
 * @param file the file; given if and only if there is no text
 */
record PayloadSource(Optional<String> text, Optional<Path> file) {

    /** The whole content as one payload. */
    byte[] all() {
        if (text.isPresent() && !text.get().equals("-")) {
            return bounded(text.get().getBytes(StandardCharsets.UTF_8));
        }
        try (InputStream in = open()) {
            return bounded(in.readNBytes(QueueSettings.MAX_PAYLOAD_BYTES + 1));
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    /**
     * Opens the source, and returns a reader that can run once. It passes each line to the consumer without its line ending, and skips
     * empty lines. At a line that is not UTF-8, it fails with the number of the line.
     */
    Runnable eachLine(Consumer<byte[]> consumer) {
        try {
            InputStream opened = open();
            return () -> readLines(opened, consumer);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private void readLines(InputStream opened, Consumer<byte[]> consumer) {
        try (InputStream in = opened) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            long number = 1;
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (next == '\n') {
                    take(line, number++, consumer);
                } else {
                    line.write(next);
                    if (line.size() > QueueSettings.MAX_PAYLOAD_BYTES + 1) {
                        bounded(line.toByteArray()); // throws, because the line is too long even if it ends with \r
                    }
                }
            }
            take(line, number, consumer);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private void take(ByteArrayOutputStream line, long number, Consumer<byte[]> consumer) {
        byte[] bytes = line.toByteArray();
        line.reset();
        int length = bytes.length > 0 && bytes[bytes.length - 1] == '\r' ? bytes.length - 1 : bytes.length;
        if (length > 0) {
            byte[] payload = bounded(Arrays.copyOf(bytes, length));
            if (!PayloadText.isUtf8(payload)) {
                throw StartException.wrongInput("line " + number + " of " + sourceName()
                        + " is not UTF-8; correct it, or enqueue the bytes as one payload without --lines");
            }
            consumer.accept(payload);
        }
    }

    private static byte[] bounded(byte[] payload) {
        if (payload.length > QueueSettings.MAX_PAYLOAD_BYTES) {
            throw StartException.wrongInput(
                    "a payload must be at most " + QueueSettings.MAX_PAYLOAD_BYTES + " bytes, but is longer");
        }
        return payload;
    }

    private InputStream open() throws IOException {
        return new BufferedInputStream(file.isPresent() ? Files.newInputStream(file.get()) : System.in);
    }

    private String sourceName() {
        return file.map(path -> Quoted.of(path.toString())).orElse("standard input");
    }

    private StartException unreadable(IOException e) {
        String why = e instanceof NoSuchFileException ? "there is no such file" : String.valueOf(e.getMessage());
        return StartException.wrongInput("can't read " + sourceName() + ": " + why);
    }
}
